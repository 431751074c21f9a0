package trec

import (
	"io"
	"runtime"
	"strconv"
	"testing"
)

// longRun is a run of so many topics with 1,000 documents each, made while it is read.
type longRun struct {
	topics, topic, doc int
	rest               []byte
}

func (r *longRun) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.topic == r.topics {
			return 0, io.EOF
		}
		r.rest = r.rest[:0]
		for range 100 {
			r.rest = append(r.rest,
				"t"+strconv.Itoa(r.topic)+" Q0 document-"+strconv.Itoa(r.doc)+" "+strconv.Itoa(r.doc+1)+" "+strconv.Itoa(1000-r.doc)+".5 long\n"...)
			r.doc++
		}
		if r.doc == 1000 {
			r.topic, r.doc = r.topic+1, 0
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestLongRun: a run of a million lines, 38 MB, is read as a stream: what is held after a collection stays below 4 MB.
func TestLongRun(t *testing.T) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	topics := 0
	info, err := ReadRun("long", &longRun{topics: 1000}, Options{}, func(topic string, hits []Hit) error {
		if len(hits) != 1000 || hits[0].Doc != "document-0" || hits[999].Line != int32(topics+1)*1000 {
			t.Fatalf("topic %s has %d hits, the last on line %d", topic, len(hits), hits[len(hits)-1].Line)
		}
		if topics++; topics%250 == 0 {
			runtime.GC()
			if runtime.ReadMemStats(&now); now.HeapAlloc > before.HeapAlloc+4<<20 {
				t.Errorf("after %d topics %d bytes more are held", topics, now.HeapAlloc-before.HeapAlloc)
			}
		}
		return nil
	})
	if err != nil || info.Lines != 1_000_000 || info.Topics != 1000 || topics != 1000 || len(info.Warnings) > 0 {
		t.Errorf("%+v, %v", info, err)
	}
}
