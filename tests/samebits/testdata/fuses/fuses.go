// Package fuses is the control of the test beside it: the compiler fuses its sums on the platforms that the test names.
package fuses

// Fused is fused: nothing asks for x*y to be rounded.
func Fused(x, y, z float64) float64 { return x*y + z }

// FusedDifference is fused too.
func FusedDifference(x, y, z float64) float64 { return x*y - z }

// Rounded is not fused: an explicit conversion rounds (Go specification, "Floating-point operators").
func Rounded(x, y, z float64) float64 { return float64(x*y) + z }
