// An adapter of svc-conformance: one JSON question per line in, one JSON reply
// per line out, as PROTOCOL.md has it. What it offers is in
// operations.go; this file is the same whatever the implementation is.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"unicode/utf8"
)

const (
	protocol = 1
	window   = 64
	// 8 MiB and the line end.
	maxLine = 8<<20 + 2
)

// A dialect is the three words in which deployments of the service differ.
type dialect struct {
	Scheme             string
	HeaderPrefix       string
	PublicKeyParameter string
}

type keyPair struct {
	PublicKey  string
	PrivateKey string
}

type question struct {
	N         int
	Operation string
	Keys      keyPair
	Input     json.RawMessage
}

// stages are what a reply shows: the result, or the way to it.
type stages map[string]any

type reply struct {
	N           int      `json:"n"`
	Result      stages   `json:"result,omitempty"`
	Trace       stages   `json:"trace,omitempty"`
	Refused     *refusal `json:"refused,omitempty"`
	Unsupported any      `json:"unsupported,omitempty"`
	Error       string   `json:"error,omitempty"`
}

// A refusal is a deliberate no; every other error says that something broke.
type refusal struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

func refuse(reason, format string, values ...any) error {
	return &refusal{reason, fmt.Sprintf(format, values...)}
}

// An inexpressible input is one that the implementation has no way to take.
type inexpressible struct{ why string }

func (i *inexpressible) Error() string { return i.why }

// unsupported says why: neither a pass nor a failure.
func unsupported(format string, values ...any) error {
	return &inexpressible{fmt.Sprintf(format, values...)}
}

func main() {
	// The replies alone go to standard output: what an SDK prints goes to
	// standard error.
	replies := os.Stdout
	os.Stdout = os.Stderr
	if err := converse(os.Stdin, replies); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// converse answers hello and then every question until the input ends.
func converse(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	// Each Encode is one write, so nothing waits in a buffer.
	replies := json.NewEncoder(out)
	replies.SetEscapeHTML(false)

	if !lines.Scan() {
		return lines.Err()
	}
	words, err := helloOf(lines.Bytes())
	if err != nil {
		return err
	}
	if err := replies.Encode(greeting()); err != nil {
		return err
	}
	for n := 2; lines.Scan(); n++ {
		answered, err := answer(lines.Bytes(), words)
		if err != nil {
			return fmt.Errorf("line %d is no question: %w", n, err)
		}
		if err := replies.Encode(answered); err != nil {
			return err
		}
	}
	return lines.Err()
}

func helloOf(line []byte) (dialect, error) {
	var hello struct {
		Protocol int
		Dialect  dialect
	}
	if err := decode(line, &hello); err != nil {
		return dialect{}, fmt.Errorf("line 1 is no hello: %w", err)
	}
	if hello.Protocol != protocol {
		return dialect{}, fmt.Errorf("the hello is of protocol %d, this adapter of %d", hello.Protocol, protocol)
	}
	return hello.Dialect, nil
}

func greeting() any {
	names := make([]string, 0, len(operations))
	for name := range operations {
		names = append(names, name)
	}
	sort.Strings(names)
	return map[string]any{
		"protocol":       protocol,
		"implementation": implementation,
		"operations":     names,
		"traces":         traces,
		"window":         window,
	}
}

// answer fails only where the line is no question at all.
func answer(line []byte, words dialect) (reply, error) {
	var asked question
	if err := decode(line, &asked); err != nil {
		return reply{}, err
	}
	operation, known := operations[asked.Operation]
	if !known {
		return reply{N: asked.N, Unsupported: true}, nil
	}
	result, trace, err := outcome(func() (stages, stages, error) {
		if hasHalfPair(line) {
			return nil, nil, refuse("text", "an unpaired surrogate has no UTF-8 bytes")
		}
		var in input
		if err := json.Unmarshal(asked.Input, &in); err != nil {
			return nil, nil, err
		}
		return operation(in, asked.Keys, words)
	})
	var no *refusal
	var limit *inexpressible
	switch {
	case errors.As(err, &limit):
		return reply{N: asked.N, Unsupported: limit.why}, nil
	case errors.As(err, &no):
		return reply{N: asked.N, Refused: no}, nil
	case err != nil:
		return reply{N: asked.N, Error: fmt.Sprintf("%s: %v", asked.Operation, err)}, nil
	}
	return reply{N: asked.N, Result: result, Trace: trace}, nil
}

// outcome makes an error of a panic.
func outcome(operation func() (stages, stages, error)) (result, trace stages, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v%s", cause, panicPlace())
		}
	}()
	return operation()
}

// panicPlace is " (file:line)" of the call that panicked, seen from the deferred
// function that recovers.
func panicPlace() string {
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(0, calls)])
	for panicked := false; ; {
		frame, more := frames.Next()
		ofRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicked && !ofRuntime {
			return fmt.Sprintf(" (%s:%d)", frame.File, frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// decode wants UTF-8: encoding/json puts U+FFFD in place of other bytes.
func decode(line []byte, message any) error {
	if !utf8.Valid(line) {
		return errors.New("it is not UTF-8")
	}
	return json.Unmarshal(line, message)
}

var escapes = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F])|\\.`)

// hasHalfPair looks for an escape of an unpaired surrogate in valid JSON,
// where encoding/json puts U+FFFD without a word.
func hasHalfPair(text []byte) bool {
	if !bytes.Contains(text, []byte(`\u`)) {
		return false
	}
	for _, found := range escapes.FindAllSubmatch(text, -1) {
		if found[1] != nil {
			return true
		}
	}
	return false
}
