package collection

import (
	"retrace/core/records"
)

// A Link is one stored, directed link between two documents, by number.
type Link struct {
	Source, Target int
	Line           int
}

// MaxLinks bounds the links of a collection.
const MaxLinks = 1 << 23

// ParseLinks reads a tab-separated file with the columns source and target. An unknown document is an error;
// self-loops and repeated links are kept, for the projection to decide.
func (c *Collection) ParseLinks(file string, data []byte) ([]Link, error) {
	var links []Link
	err := records.TSV(file, data, []string{"source", "target"}, func(line int, f []string) error {
		var ends [2]int
		for i, id := range f {
			n, ok := c.Number(id)
			if !ok {
				return records.Errorf(file, line, "links join documents of "+c.File, "%s", c.Unknown(id))
			}
			ends[i] = n
		}
		if len(links) == MaxLinks {
			return records.Errorf(file, line, "split the links", "more than %d links", MaxLinks)
		}
		links = append(links, Link{ends[0], ends[1], line})
		return nil
	})
	return links, err
}
