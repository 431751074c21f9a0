package crosscheck

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is what Go's build information says of this program: the module's version, else the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = ", changed"
			}
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision + changed
}

// processor is the processor's name as the system gives it, "unknown" where it doesn't.
func processor() string {
	name := ""
	switch runtime.GOOS {
	case "linux":
		data, _ := os.ReadFile("/proc/cpuinfo")
		lines := bufio.NewScanner(bytes.NewReader(data))
		for lines.Scan() && name == "" {
			key, value, _ := strings.Cut(lines.Text(), ":")
			switch strings.TrimSpace(key) {
			case "model name", "cpu model", "uarch", "cpu", "Hardware":
				name = strings.TrimSpace(value)
			}
		}
	case "darwin":
		out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		name = strings.TrimSpace(string(out))
	case "windows":
		name = os.Getenv("PROCESSOR_IDENTIFIER")
	}
	if name == "" {
		return "unknown"
	}
	return name
}
