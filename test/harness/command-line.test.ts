import { expect, test } from 'vitest';
import { parseOptions } from '../../dist/harness/cli/verb.js';
import { VERBS } from '../../dist/harness/cli/verbs.js';
import { shellWord } from '../../dist/harness/render/commands.js';
import { svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

testUsageErrors([
  // Wrong verbs
  ['rum', '"rum" is not a verb; did you mean run?'],
  ['frobnicate', '"frobnicate" is not a verb; the verbs are run, accept,'],
  ['hlep', '"hlep" is not a verb; did you mean help?'],
  ['help rum', '"rum" is not a verb; did you mean run?'],
  ['rum --help', '"rum" is not a verb; did you mean run?'],
  ['--smoke run', 'options follow the verb'],
  ['-v', '"-v" is neither --help (-h) nor --version (-V)'],
  // Wrong options
  ['run --timout 3', '--timout is not an option of this verb; did you mean --timeout?'],
  ['list --xyz', '--xyz is not an option of this verb; see --help'],
  ['run -x', '-x is not an option of this verb; see --help'],
  ['run --timeout', '--timeout needs a value; write --timeout S'],
  [
    'run --timeout -1 -- true',
    '--timeout needs a value, but an option follows it; write --timeout S, or --timeout=VALUE for',
  ],
  ['run --all=3', '--all takes no value; write only --all'],
  ['run --timeout five -- true', '--timeout "five" is not a number'],
  ['run --timeout=-1 -- true', '--timeout "-1" is not a number'],
  ['run --start-timeout 9999999 -- true', '--start-timeout'],
  ['run --dialect aws -- true', '"aws" is not a dialect; name svc or ucloud'],
  ['run --dialect A,X-A- -- true', '"A,X-A-" is not a dialect'],
  ['vectors check --matrix /dev/null', '--matrix and --write-smoke are options of vectors prove'],
  // Names that every object has
  ['constructor', '"constructor" is not a verb'],
  ['run --dialect toString -- true', '"toString" is not a dialect'],
  // Wrong adapters
  ['run --', 'no command follows --'],
  ['run --adapter python -- true', 'pass one of them'],
  ['run --adapter referense', 'did you mean reference?'],
  ['list password -- true', '-- COMMAND'],
  // Wrong vectors
  ['run no/such* -- true', 'no vector matches "no/such*"'],
  ['list url-encod/ascii', 'the nearest is url-encode/ascii'],
  ['list --rule 5.2/header-sorted', 'the nearest is 5.2/headers-sorted'],
  ['list --level musty', 'no level matches "musty"; the nearest is must'],
  ['list --operation authorisation', 'the nearest is authorization'],
  ['list password --operation etag', 'no vector matches all filters'],
  ['list --vectors no/such', 'folder "no/such" cannot be read'],
  ['list --vectors package.json', 'folder "package.json" cannot be read'],
  ['list --vectors test/harness/vectors --smoke', 'these vectors have no smoke set; write it with'],
  // Missing and superfluous words
  ['show', 'write svc-conformance show ID'],
  ['adapter check', 'write svc-conformance adapter check [options] -- COMMAND…'],
  [
    'vectors',
    'write svc-conformance vectors check [FOLDER], vectors prove [FOLDER], or vectors fill FILE…',
  ],
  ['vectors check vectors more', 'vectors check [FOLDER]'],
  ['compare a', 'write svc-conformance compare A B'],
  ['completion', 'write svc-conformance completion bash, or zsh, or fish'],
  ['completion words', 'write svc-conformance completion words -- WORD…'],
  ['completion words run', 'write svc-conformance completion words -- WORD…'],
  ['completion words run -- list', 'write svc-conformance completion words -- WORD…'],
  ['completion bsh', 'no completion for "bsh"; did you mean bash?'],
]);

const NODE = shellWord(process.execPath);

/** Commands without `--`: the error shows the corrected command. */
testUsageErrors([
  [
    `run ${NODE} adapter.mjs --strict`,
    `is a program, not a vector; write -- before the command: svc-conformance run -- ${NODE} adapter.mjs --strict`,
  ],
  [
    `run --timeout 5 url-encode ${NODE} 'my adapter.mjs'`,
    `svc-conformance run --timeout 5 url-encode -- ${NODE} ${shellWord('my adapter.mjs')}`,
  ],
  [`accept --reason=x ${NODE}`, `--reason=x -- ${NODE}`],
  ['wire no-such x', 'command: svc-conformance wire -- no-such x'],
  ['fuzz --runs 9 a', 'svc-conformance fuzz --runs 9 -- a'],
  ['adapter check a', 'conformance adapter check -- a'],
  [
    'run url-encode package.json',
    '"package.json" is a file, not a vector; write -- and the command that starts your adapter: svc-conformance run -- COMMAND package.json',
  ],
]);

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
