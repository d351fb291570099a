/**
 * Runs expressions of a language, all of them in one process, and returns what each prints.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Ends each output, so that an output may have line breaks. */
const END = '\u001e';

interface Language {
  /** Commands in the folder of the source, the last of which runs the program. */
  readonly commands: readonly (readonly string[])[];
  readonly file: string;
  /** Creates the program from its expressions. */
  readonly program: (expressions: readonly string[]) => string;
  /** Escapes a character for a string literal in double quotes. */
  readonly escape: (character: string) => string;
}

const code = (character: string): number => character.codePointAt(0) ?? 0;
const hex = (digits: number, number: number): string => number.toString(16).padStart(digits, '0');
const braces = (character: string): string => `\\u{${hex(1, code(character))}}`;
const eight = (character: string): string => `\\U${hex(8, code(character))}`;
const units = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${hex(4, unit.charCodeAt(0))}`);
/** Octal for ASCII, because Java replaces \u0022 by a quote before it parses the string literal. */
const octal = (character: string): string =>
  code(character) < 0x80 ? `\\${code(character).toString(8).padStart(3, '0')}` : units(character);

const statements =
  (before: string, as: (expression: string) => string, after = '') =>
  (expressions: readonly string[]): string =>
    [before, ...expressions.map(as), after].join('\n');

const JAVA_IMPORTS = 'io.*,math.*,net.*,text.*,time.*,time.format.*,util.*'
  .split(',')
  .map((name) => `import java.${name};`)
  .join('\n');

const JAVA_BEFORE = `${JAVA_IMPORTS}
import static java.nio.charset.StandardCharsets.UTF_8;
class Claims {
  static PrintStream stream = new PrintStream(System.out, false, UTF_8);
  static void out(Object value) { stream.print(value + "\\036"); }
  static String writeUtf(String text) throws Exception {
    var bytes = new ByteArrayOutputStream();
    new DataOutputStream(bytes).writeUTF(text);
    return HexFormat.of().formatHex(bytes.toByteArray(), 2, bytes.size());
  }
  public static void main(String[] arguments) throws Exception {`;

const GO_PACKAGES =
  'encoding/base64 encoding/hex encoding/json fmt html math mime net/url path strconv strings time';

const GO_BEFORE = `package main
import (
${GO_PACKAGES.replace(/\S+/g, '"$&"\n')})
func out(values ...any) { fmt.Print(values...); fmt.Print("\\x1e") }
func marshal(value any) string { text, _ := json.Marshal(value); return string(text) }
func float(text string) float64 { number, _ := strconv.ParseFloat(text, 64); return number }
func bytesOf(text string) []byte { bytes, _ := hex.DecodeString(text); return bytes }
func date(text string) time.Time { moment, _ := time.Parse(time.RFC1123, text); return moment.UTC() }
var _ = []any{base64.StdEncoding, math.Pi, mime.WordDecoder{}, url.Parse, strings.Trim}
func main() {`;

const PYTHON_BEFORE = `
import base64, decimal, hmac, html, http.client, io, json, posixpath, re, sys, time, urllib.parse
def out(value): sys.stdout.buffer.write((str(value) + "\\x1e").encode())
def attempt(run):
    try: return run()
    except Exception as error: return type(error).__name__`;

const C_BEFORE = `#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(void) {`;

/** The languages by the names that texts give them. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  JavaScript: {
    commands: [[process.execPath, 'claims.cjs']],
    file: 'claims.cjs',
    program: statements('', (x) => `process.stdout.write(String(${x}) + "\\x1e");`),
    escape: units,
  },
  Python: {
    commands: [['python3', 'claims.py']],
    file: 'claims.py',
    program: statements(PYTHON_BEFORE, (x) => `out(${x})`),
    escape: eight,
  },
  Go: {
    commands: [['go', 'run', 'claims.go']],
    file: 'claims.go',
    program: statements(GO_BEFORE, (x) => `out(${x})`, '}'),
    escape: eight,
  },
  Java: {
    commands: [['java', '-Dfile.encoding=UTF-8', 'Claims.java']],
    file: 'Claims.java',
    program: statements(JAVA_BEFORE, (x) => `out(${x});`, 'stream.flush();}}'),
    escape: octal,
  },
  PHP: {
    commands: [['php', '-n', 'claims.php']],
    file: 'claims.php',
    program: statements('<?php', (x) => `echo ${x}, "\\x1e";`),
    escape: braces,
  },
  Ruby: {
    commands: [['ruby', 'claims.rb']],
    file: 'claims.rb',
    program: statements('# encoding: utf-8', (x) => `$stdout.write((${x}).to_s, "\\x1e")`),
    escape: braces,
  },
  Perl: {
    commands: [['perl', 'claims.pl']],
    file: 'claims.pl',
    program: statements('', (x) => `print((${x}), "\\x1e");`),
    escape: (character) => `\\x{${hex(1, code(character))}}`,
  },
  C: {
    commands: [['cc', '-o', 'claims', 'claims.c'], ['./claims']],
    file: 'claims.c',
    program: statements(C_BEFORE, (x) => `printf(${x}); putchar(0x1e);`, 'return 0; }'),
    escape: octal,
  },
  Bash: {
    commands: [['bash', 'claims.sh']],
    file: 'claims.sh',
    program: statements('', (x) => `printf '%s\\x1e' ${x}`),
    escape: units,
  },
};

/** The expression with the text as a string literal in place of TEXT. */
export function withText(language: Language, expression: string, text: string): string {
  const literal = Array.from(text, (c) =>
    /[A-Za-z0-9 ,.:+-]/.test(c) ? c : language.escape(c),
  ).join('');
  return expression.replaceAll('TEXT', () => `"${literal}"`);
}

const ENVIRONMENT = { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' };

/** What each expression prints; throws with the errors of the program. */
export function outputs(language: Language, expressions: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-claims-'));
  try {
    writeFileSync(join(folder, language.file), language.program(expressions));
    let printed = '';
    for (const [program = '', ...parameters] of language.commands) {
      const run = spawnSync(program, parameters, {
        cwd: folder,
        env: ENVIRONMENT,
        encoding: 'utf8',
      });
      if (run.status !== 0) throw new Error(`${program} fails: ${run.error ?? run.stderr}`);
      printed = run.stdout;
    }
    return printed.split(END).slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
