package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// conformanceReport is what the tests read of a report in JUnit XML.
type conformanceReport struct {
	Cases []conformanceCase `xml:"testsuite>testcase"`
}

type conformanceCase struct {
	Name    string `xml:"name,attr"`
	Failure string `xml:"failure"`
	Error   string `xml:"error"`
	Skipped *struct {
		Message string `xml:"message,attr"`
	} `xml:"skipped"`
}

// TestConformance runs svc-conformance once; every case of its report is a
// subtest, and one subtest stands for all that are skipped.
func TestConformance(t *testing.T) {
	found, status, errors := runConformance(t)
	skipped := map[string]int{}
	judged, failed := 0, false
	for _, one := range found.Cases {
		if one.Skipped != nil {
			kind, _, _ := strings.Cut(one.Skipped.Message, ":")
			skipped[kind]++
			continue
		}
		judged++
		failed = !t.Run(one.Name, func(t *testing.T) {
			if text := one.Failure + one.Error; text != "" {
				t.Error(text)
			}
		}) || failed
	}
	line := conformanceCounts(skipped)
	if (status != 0 || judged == 0) && !failed {
		t.Fatalf("svc-conformance run judged %d cases and ended with status %d: %s%s", judged, status, line, errors)
	}
	if line != "" {
		t.Run("skipped", func(t *testing.T) { t.Skip(line) })
	}
}

// runConformance runs the program that SVC_CONFORMANCE names, or this version
// of the package.
func runConformance(t *testing.T) (found conformanceReport, status int, errors string) {
	// go test repeats these tests when the files that they read change.
	for _, name := range []string{"adapter.json", "expectations.yaml"} {
		if _, err := os.ReadFile(name); err != nil {
			t.Log(err)
		}
	}
	words := []string{"npx", "--yes", "svc-conformance@VERSION"}
	if own := os.Getenv("SVC_CONFORMANCE"); own != "" {
		words = []string{own}
	}
	words = append(words, "run", "--adapter", ".", "--reporter", "junit=-")
	var written strings.Builder
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = &written
	output, err := command.Output()
	if command.ProcessState == nil {
		t.Fatalf("%v; install Node 20.19 or later, or name the program svc-conformance in SVC_CONFORMANCE", err)
	}
	if len(output) > 0 {
		if fault := xml.Unmarshal(output, &found); fault != nil {
			t.Fatalf("svc-conformance wrote a report that is not XML: %v", fault)
		}
	}
	return found, command.ProcessState.ExitCode(), written.String()
}

func conformanceCounts(counts map[string]int) string {
	parts := []string{}
	for kind, count := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", count, kind))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}
