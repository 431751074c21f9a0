package proto

import (
	"fmt"

	"retrace/core/certificate"
	"retrace/core/kit"
	"retrace/core/study"
)

// OutcomeFileRequest asks for the text of a file that the finished replay of this session made.
type OutcomeFileRequest struct {
	Head
	Path string `json:"path"`
}

// OutcomeFileResult holds a file as text: JSON or JSON Lines.
type OutcomeFileResult struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func (s *Session) outcomeFile(q OutcomeFileRequest) (OutcomeFileResult, error) {
	if s.replay == nil {
		return OutcomeFileResult{}, errNoReplay
	}
	o, err := s.replay.Outcome()
	if err != nil {
		return OutcomeFileResult{}, err
	}
	for _, f := range o.Files {
		if f.Path == q.Path {
			return OutcomeFileResult{f.Path, string(f.Data)}, nil
		}
	}
	return OutcomeFileResult{}, failf("not-found", "the outcome of a replay lists its files", "the replay made no file %q", q.Path)
}

// CertificateRequest asks for a certificate of `native crosscheck` to be compared with what this session computed; with
// what the kit holds frozen where no replay of the study has finished here.
type CertificateRequest struct {
	Head
	Study       string `json:"study"`
	Certificate string `json:"certificate"` // the file's text
}

// CertificateResult is the comparison, ready to be shown.
type CertificateResult struct {
	Study    string                   `json:"study"` // of the certificate
	Date     string                   `json:"date"`  // as its writer gave it, may be empty
	State    string                   `json:"state"` // same, differs, or open: nothing could be compared
	Sentence string                   `json:"sentence"`
	Computed bool                     `json:"computed"` // compared with a replay of this session, not with frozen files
	Problems []string                 `json:"problems"` // differences that the certificate itself states
	Rows     []certificate.Comparison `json:"rows"`
}

func (s *Session) certificate(q CertificateRequest) (CertificateResult, error) {
	c, err := certificate.Parse([]byte(q.Certificate))
	if err != nil {
		return CertificateResult{}, err
	}
	st, err := s.Study(q.Study)
	if err != nil {
		return CertificateResult{}, err
	}
	here, err := s.here(st)
	if err != nil {
		return CertificateResult{}, err
	}
	out := CertificateResult{Study: certificate.Plain(c.Study), Date: c.Date, Computed: here.Replay, Problems: []string{}}
	for _, p := range c.Problems() {
		out.Problems = append(out.Problems, certificate.Plain(p))
	}
	out.Rows, out.State, out.Sentence = certificate.Compare(c, here)
	return out, nil
}

// here describes this session's own side.
func (s *Session) here(st *study.Study) (here certificate.Here, err error) {
	here = certificate.Here{Study: st.Protocol.ID, Version: st.Protocol.Version}
	if here.Kit, err = DescribeKit(st); err != nil {
		return here, err
	}
	if r := s.finished(st.Protocol.ID); r != nil {
		if _, _, done := r.Stage(); done {
			o, err := r.Outcome()
			if err != nil {
				return here, err
			}
			here.Replay = true
			for _, f := range o.Files {
				here.Files = append(here.Files, kit.Describe(f.Path, f.Data))
			}
		}
	}
	if !here.Replay {
		for _, f := range st.Kit.Files() {
			if st.Protocol.StageOf(f.Path) == study.SealFrozen {
				here.Files = append(here.Files, f)
			}
		}
	}
	if st.HasVectors() && st.Kit.Present(st.Protocol.Collection.Vectors) && st.Kit.Present(st.Protocol.Questions.Vectors) {
		documents, _, err := st.Vectors()
		if err != nil {
			return here, err
		}
		model := documents.Sidecar().Model
		here.Model = &model
	}
	return here, nil
}

// DescribeKit returns what a certificate says of the kit of a study.
func DescribeKit(st *study.Study) (k certificate.Kit, err error) {
	k.Manifests, k.Seals = st.Kit.Manifests(), []certificate.Seal{}
	if k.SHA256, err = st.Kit.Identity(); err != nil {
		return k, err
	}
	seals, err := st.Kit.Seals(st.Protocol.ID)
	if err != nil {
		return k, err
	}
	for i, seal := range seals {
		file, _ := st.Kit.Expect(fmt.Sprintf("%s/seals/%d-%s.json", st.Protocol.ID, i+1, seal.Stage))
		k.Seals = append(k.Seals, certificate.Seal{Stage: seal.Stage, SHA256: file.SHA256})
	}
	return k, nil
}
