package study

import (
	"io/fs"
	"slices"

	"retrace/core/kit"
	"retrace/core/records"
)

// CommandOf returns the command of cmd/build that seals a stage.
func CommandOf(stage string) string {
	switch stage {
	case SealProtocol:
		return "seal"
	case SealFrozen:
		return "freeze"
	}
	return stage
}

// CheckSealed checks that a study may be called sealed: each of its stages has its seal, in order, everything that the seals
// fix is there as it was, and frozen results are among it. What fails it is a draft.
func CheckSealed(designs Designs, fsys fs.FS, id string) error {
	p, k, err := ReadProtocol(designs, fsys, id)
	if err != nil {
		return err
	}
	seals, err := k.Seals(id)
	if err != nil {
		return err
	}
	file := id + "/study.json"
	stages := p.Stages()
	for i, stage := range stages {
		if i == len(seals) {
			return records.Errorf(file, 0, "run `build "+CommandOf(stage)+" "+id+"`; until then it can be packed only with --draft, which the archive says",
				"the study is not sealed: its stage %q has no seal", stage)
		}
		if seals[i].Stage != stage {
			return records.Errorf(file, 0, "the stages of such a study are in another order: get the kit again", "seal %d is of the stage %q, not %q", i+1, seals[i].Stage, stage)
		}
	}
	if len(seals) > len(stages) {
		return records.Errorf(file, 0, "get the kit again", "%d seals, and the study has %d stages", len(seals), len(stages))
	}
	results := p.FrozenResults(Options{})
	if !slices.ContainsFunc(seals[len(seals)-1].Files, func(f kit.File) bool { return f.Path == results }) {
		return records.Errorf(results, 0, "get the kit again", "the last seal does not fix the results")
	}
	return nil
}
