//go:build unix

package hosts

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process and all that it starts into a group of its own, so that killGroup reaches them all.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
