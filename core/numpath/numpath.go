// Package numpath names the numbers of results by paths: keys and list places joined by dots, as in methods.bm25.mrr10 or
// misses.0.ranks.graph. A key that holds a dot, a bracket or a quote is written in brackets:
// settings["typed:hybrid:2:0.3"].
package numpath

import (
	"fmt"
	"strings"
)

// Of returns the path of keys.
func Of(keys ...string) string {
	path := ""
	for _, k := range keys {
		path = Join(path, k)
	}
	return path
}

// Join appends a key to a path.
func Join(path, key string) string {
	if key == "" || strings.ContainsAny(key, `.[]"`) {
		return path + `["` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"]`
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// Split splits a path into its keys.
func Split(path string) ([]string, error) {
	bad := func(i int) ([]string, error) {
		return nil, fmt.Errorf(`numpath: malformed path %q at place %d: write keys with dots between, a key with dots as ["key"]`, path, i+1)
	}
	var keys []string
	for i := 0; i < len(path); {
		if path[i] == '[' {
			if !strings.HasPrefix(path[i:], `["`) {
				return bad(i)
			}
			var key strings.Builder
			for i += 2; i < len(path) && path[i] != '"'; i++ {
				if path[i] == '\\' {
					i++
				}
				if i < len(path) {
					key.WriteByte(path[i])
				}
			}
			if !strings.HasPrefix(path[min(i, len(path)):], `"]`) {
				return bad(i)
			}
			keys = append(keys, key.String())
			if i += 2; i < len(path) && path[i] != '[' {
				if path[i] != '.' || i+1 == len(path) {
					return bad(i)
				}
				i++
			}
			continue
		}
		end := i + strings.IndexAny(path[i:]+".", ".[")
		if end == i {
			return bad(i)
		}
		keys = append(keys, path[i:end])
		if i = end; i < len(path) && path[i] == '.' {
			if i++; i == len(path) {
				return bad(i)
			}
		}
	}
	if len(keys) == 0 {
		return bad(0)
	}
	return keys, nil
}
