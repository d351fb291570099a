// A conformance adapter for the published Go SDK of US3/UFile
// (github.com/ufilesdk-dev/ufile-gosdk).
//
// It puts the questions of ../../PROTOCOL.md to the SDK and reports what the
// SDK gives, unchanged. This file is the protocol, operations.go the SDK.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
)

// 8 MiB and the line end.
const maxLine = 8<<20 + 2

type keyPair struct{ PublicKey, PrivateKey string }

type question struct {
	N         int
	Operation string
	Keys      keyPair
	Input     input
}

// A result is what a reply shows.
type result map[string]string

// A refused error is the SDK's own no.
type refused struct{ error }

var errUnsupported = errors.New("the SDK has no way to take this question")

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	replies := json.NewEncoder(os.Stdout) // each Encode is one write
	replies.SetEscapeHTML(false)
	lines.Scan() // of hello nothing is needed: the SDK has its dialect, ucloud, built in
	replies.Encode(greeting())
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "a line is no question:", err)
			os.Exit(1)
		}
		replies.Encode(reply(asked))
	}
}

func greeting() any {
	names := []string{}
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	return map[string]any{
		"protocol":       1,
		"implementation": map[string]string{"name": "ufile-gosdk", "version": sdkVersion(), "language": "go"},
		"operations":     names,
		"window":         64,
	}
}

// sdkVersion is what go.mod says, as the Go command wrote it into this program.
func sdkVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == sdkModule {
			return module.Version
		}
	}
	panic("this program is built without " + sdkModule)
}

func reply(asked question) map[string]any {
	given, err := answer(asked)
	var no refused
	switch {
	case errors.As(err, &no):
		return map[string]any{"n": asked.N, "refused": map[string]string{"reason": no.Error()}}
	case errors.Is(err, errUnsupported):
		return map[string]any{"n": asked.N, "unsupported": true}
	case err != nil:
		return map[string]any{"n": asked.N, "error": err.Error()}
	}
	return map[string]any{"n": asked.N, "result": given}
}

// answer makes an error of a panic: the SDK broke.
func answer(asked question) (given result, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	operation, known := operations[asked.Operation]
	if !known {
		return nil, errUnsupported
	}
	return operation(asked.Input, asked.Keys)
}
