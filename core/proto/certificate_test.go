package proto_test

import (
	"encoding/json"
	"strings"
	"testing"

	"retrace/core/certificate"
	"retrace/core/design"
	kitfiles "retrace/core/kit"
	"retrace/core/proto"
	"retrace/kit"
)

// askCertificate compares a certificate with what a session of the bundled kit knows.
func askCertificate(t *testing.T, s *proto.Session, text string) (result proto.CertificateResult, failure *proto.Error) {
	t.Helper()
	request, err := json.Marshal(map[string]any{"id": 1, "kind": "certificate", "study": "r01", "certificate": text})
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result proto.CertificateResult
		Error  *proto.Error
	}
	if err := json.Unmarshal(proto.Handle(s, request), &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Result, reply.Error
}

// TestCertificateWithoutReplay compares with the frozen files: nothing was computed in this session.
func TestCertificateWithoutReplay(t *testing.T) {
	s := proto.NewSessionFS(design.All, kit.FS)
	st, err := s.Study("r01")
	if err != nil {
		t.Fatal(err)
	}
	about, err := proto.DescribeKit(st)
	if err != nil {
		t.Fatal(err)
	}
	results, ok := st.Kit.Expect("r01/frozen/results.json")
	if !ok {
		t.Fatal("no frozen results")
	}
	c := certificate.Certificate{Format: certificate.Format, Study: "r01", Version: st.Protocol.Version, Kit: about, Skipped: []certificate.Skipped{},
		Platforms: []certificate.Platform{{Name: "native", Runtime: "go", Results: results.SHA256, Files: []kitfiles.File{results}}}}
	text, err := c.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, failure := askCertificate(t, s, string(text))
	if failure != nil || got.State != certificate.Same || got.Computed || len(got.Problems) > 0 || !strings.Contains(got.Sentence, "frozen files of this kit") {
		t.Errorf("%+v, %+v", got, failure)
	}
	got, failure = askCertificate(t, s, strings.ReplaceAll(string(text), results.SHA256, strings.Repeat("0", 64)))
	if failure != nil || got.State != certificate.Differs {
		t.Errorf("another result: %+v, %+v", got, failure)
	}
	if _, failure := askCertificate(t, s, "[]"); failure == nil || failure.Hint == "" {
		t.Errorf("no certificate: %+v", failure)
	}
}

func TestOutcomeFileNeedsReplay(t *testing.T) {
	reply := string(proto.Handle(proto.NewSessionFS(design.All, kit.FS), []byte(`{"id":1,"kind":"outcomeFile","path":"r01/frozen/results.json"}`)))
	if !strings.Contains(reply, `"bad-request"`) || !strings.Contains(reply, "send a replay request first") {
		t.Error(reply)
	}
}
