//go:build !amd64

package lanes

import (
	"retrace/core/encoder"
	"retrace/core/walk"
)

func vector() []encoder.Kernel { return nil }

func spreads() []walk.Spread { return nil }
