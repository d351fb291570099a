import { devNull } from 'node:os';
import { expect, test } from 'vitest';
import { parseOptions } from '../../dist/harness/cli/verb.js';
import { VERBS } from '../../dist/harness/cli/verbs.js';
import { shellWord } from '../../dist/harness/render/commands.js';
import { svcConformance } from './svc-conformance.ts';
import { program } from './trial.ts';

/** An adapter that never replies: the tests fail on the command line before they need a reply. */
const ADAPTER = ['--', ...program('is-silent')];

type Row = readonly [what: string, parameters: readonly string[], fault: string];

async function expectUsageError(...[, parameters, fault]: Row): Promise<void> {
  const { code, stdout, stderr } = await svcConformance(parameters, {
    environment: { RECORD: devNull },
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^svc-conformance: .+\n$/);
  expect(stderr).toContain(fault);
}

test.concurrent.each<Row>([
  ['an unknown verb', ['rum'], '"rum" is not a verb; did you mean run?'],
  [
    'a verb that resembles no other',
    ['frobnicate'],
    '"frobnicate" is not a verb; the verbs are run, accept,',
  ],
  [
    'an unknown option',
    ['run', '--timout', '3'],
    '--timout is not an option of this verb; did you mean --timeout?',
  ],
  [
    'an option that resembles no other',
    ['list', '--xyz'],
    '--xyz is not an option of this verb; see --help',
  ],
  ['an option without value', ['run', '--timeout'], '--timeout needs a value; write --timeout S'],
  [
    'a value for an option that takes none',
    ['run', '--all=3'],
    '--all takes no value; write only --all',
  ],
  [
    'a number in words',
    ['run', '--timeout', 'five', ...ADAPTER],
    '--timeout "five" is not a number',
  ],
  ['a number below zero', ['run', '--timeout=-1', ...ADAPTER], '--timeout "-1" is not a number'],
  [
    'an unknown dialect',
    ['run', '--dialect', 'aws', ...ADAPTER],
    '"aws" is not a dialect; name svc or ucloud',
  ],
  [
    'an incomplete dialect',
    ['run', '--dialect', 'A,X-A-', ...ADAPTER],
    '"A,X-A-" is not a dialect',
  ],
  ['no command', ['run', '--'], 'no command follows --'],
  ['adapter and command', ['run', '--adapter', 'python', ...ADAPTER], 'pass one of them'],
  ['an unknown adapter', ['run', '--adapter', 'referense'], 'did you mean reference?'],
  ['an unknown vector', ['run', 'no/such*', ...ADAPTER], 'no vector matches "no/such*"'],
  ['a misspelled vector', ['list', 'url-encod/ascii'], 'the nearest is url-encode/ascii'],
  ['an unknown rule', ['list', '--rule', '5.2/header-sorted'], 'the nearest is 5.2/headers-sorted'],
  [
    'an unknown level',
    ['list', '--level', 'musty'],
    'no level matches "musty"; the nearest is must',
  ],
  [
    'an unknown operation',
    ['list', '--operation', 'authorisation'],
    'the nearest is authorization',
  ],
  [
    'filters that leave nothing',
    ['list', 'password', '--operation', 'etag'],
    'no vector matches all filters',
  ],
  ['a missing folder', ['list', '--vectors', 'no/such'], 'folder "no/such" cannot be read'],
  [
    'a file for a folder',
    ['list', '--vectors', 'package.json'],
    'folder "package.json" cannot be read',
  ],
  [
    'the smoke set of a folder without one',
    ['list', '--vectors', 'test/harness/vectors', '--smoke'],
    'these vectors have no smoke set; write it with',
  ],
  [
    'an option of the proof for a check',
    ['vectors', 'check', '--matrix', devNull],
    '--matrix and --write-smoke are options of vectors prove',
  ],
  ['show without an id', ['show'], 'write svc-conformance show ID'],
  [
    'adapter check without a command',
    ['adapter', 'check'],
    'write svc-conformance adapter check [options] -- COMMAND…',
  ],
  [
    'vectors without a subcommand',
    ['vectors'],
    'write svc-conformance vectors check [FOLDER], vectors prove [FOLDER], or vectors fill FILE…',
  ],
])('a one-line error and exit code 2 for %s', expectUsageError);

test.concurrent.each<Row>([
  ['a verb with the name of an object property', ['constructor'], '"constructor" is not a verb'],
  [
    'a dialect with the name of an object property',
    ['run', '--dialect', 'toString', ...ADAPTER],
    '"toString" is not a dialect',
  ],
  [
    'an option in place of a number',
    ['run', '--timeout', '-1', ...ADAPTER],
    '--timeout needs a value, but an option follows it; write --timeout S, or --timeout=VALUE for',
  ],
  ['an unknown short option', ['run', '-x'], '-x is not an option of this verb; see --help'],
  ['help about an unknown verb', ['help', 'rum'], '"rum" is not a verb; did you mean run?'],
  ['an unknown verb with --help', ['rum', '--help'], '"rum" is not a verb; did you mean run?'],
  ['help misspelled', ['hlep'], '"hlep" is not a verb; did you mean help?'],
  ['an option before the verb', ['--smoke', 'run'], 'options follow the verb'],
  ['the short option -v', ['-v'], '"-v" is neither --help (-h) nor --version (-V)'],
  ['an unknown shell', ['completion', 'bsh'], 'no completion for "bsh"; did you mean bash?'],
  [
    'a time that is too long for a timer',
    ['run', '--start-timeout', '9999999', ...ADAPTER],
    '--start-timeout',
  ],
  ['a command for a verb that takes none', ['list', 'password', ...ADAPTER], '-- COMMAND'],
  ['a second folder', ['vectors', 'check', 'vectors', 'more'], 'vectors check [FOLDER]'],
])('a one-line error and exit code 2 for %s', expectUsageError);

const NODE = shellWord(process.execPath);

test.concurrent.each<Row>([
  [
    'a command without --',
    ['run', process.execPath, 'adapter.mjs', '--strict'],
    `is a program, not a vector; write -- before the command: svc-conformance run -- ${NODE} adapter.mjs --strict`,
  ],
  [
    'a command without -- after options and an id',
    ['run', '--timeout', '5', 'url-encode', process.execPath, 'my adapter.mjs'],
    `svc-conformance run --timeout 5 url-encode -- ${NODE} ${shellWord('my adapter.mjs')}`,
  ],
  [
    'accept with a command without --',
    ['accept', '--reason=x', process.execPath],
    `--reason=x -- ${NODE}`,
  ],
  [
    'wire with a command without --',
    ['wire', 'no-such', 'x'],
    'command: svc-conformance wire -- no-such x',
  ],
  [
    'fuzz with a command without --',
    ['fuzz', '--runs', '9', 'a'],
    'svc-conformance fuzz --runs 9 -- a',
  ],
  [
    'adapter check with a command without --',
    ['adapter', 'check', 'a'],
    'conformance adapter check -- a',
  ],
  [
    'a file without -- and its interpreter',
    ['run', 'url-encode', 'package.json'],
    '"package.json" is a file, not a vector; write -- and the command that starts your adapter: svc-conformance run -- COMMAND package.json',
  ],
])('the error shows the corrected command for %s', expectUsageError);

test.concurrent('other wrong arguments are not mistaken for a command', async () => {
  for (const words of [
    ['run', 'url-encode', '--timout'],
    ['run', 'no/such'],
    ['explain', 'a', 'b'],
  ]) {
    const { stderr } = await svcConformance(words);
    expect(stderr).not.toContain('before the command');
  }
});

async function helpText(...parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await svcConformance(parameters);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

function exitCodesIn(help: string): readonly number[] {
  return [...help.matchAll(/^ {2}([0-9]) {2}\S/gm)].map(([, code]) => Number(code));
}

test.concurrent('the general help lists every exit code, with and without --help', async () => {
  for (const words of [[], ['--help'], ['-h'], ['help'], ['help', '--help'], ['help', 'help']]) {
    expect(exitCodesIn(await helpText(...words))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  }
});

test.concurrent('the help of a verb lists only its own exit codes', async () => {
  expect(exitCodesIn(await helpText('run', '--help'))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(exitCodesIn(await helpText('list', '-h'))).toEqual([0, 2, 3, 6]);
  expect(exitCodesIn(await helpText('adapter', '--help'))).toEqual([0, 1, 2, 4, 5, 6]);
  expect(exitCodesIn(await helpText('vectors', 'check', '--help'))).toEqual([0, 1, 2, 3, 5, 6]);
  expect(await helpText('etag', '-h')).toContain('1  a file cannot be read, or its ETag differs');
  expect(await helpText('run', '-h')).not.toContain('ETag differs');
});

test.concurrent('the help of every verb has an example whose options are valid', async () => {
  for (const [name, load] of Object.entries(VERBS)) {
    const verb = await load();
    expect(await helpText('help', name)).toContain(`Example:\n  svc-conformance ${verb.example}\n`);
    const [first, ...words] = verb.example.replace(/ >> .*/, '').split(' ');
    expect(first).toBe(name);
    expect(() => parseOptions(verb, words)).not.toThrow();
  }
});

test.concurrent('-V is --version', async () => {
  expect(await helpText('-V')).toBe(await helpText('--version'));
  expect(await helpText('-V')).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+\n$/);
});

test.concurrent('the help of a verb lists its own options and no others', async () => {
  const [all, wire] = await Promise.all([
    svcConformance(['--help']),
    svcConformance(['help', 'wire']),
  ]);
  expect(wire.stdout).toContain('svc-conformance wire [options]');
  expect(wire.stdout).toContain('--client-status');
  expect(wire.stdout).not.toContain('svc-conformance run [options]');
  expect(wire.stdout).not.toContain('--restarts');
  expect(all.stdout).toContain('svc-conformance wire [options]');
  expect(all.stdout).not.toContain('--client-status');
});
