import { expect, test } from 'vitest';
import { complete } from '../../dist/harness/cli/completion.js';
import { VERBS } from '../../dist/harness/cli/verbs.js';
import { svcConformance } from './svc-conformance.ts';

const completed = (words: readonly string[]) => complete(words, VERBS);

test('the first word is completed to a verb', async () => {
  expect(await completed([''])).toEqual([...Object.keys(VERBS), 'help', '--help', '--version']);
  expect(await completed(['ex'])).toEqual(['export', 'explain']);
  expect(await completed(['help', 'w'])).toEqual(['wire']);
  expect(await completed(['constructor', ''])).toEqual([]);
});

test('a word that starts with a hyphen is completed to an option of the verb', async () => {
  expect(await completed(['init', '-'])).toEqual(['--ci', '--dialect', '--help']);
  expect(await completed(['run', '--st'])).toEqual(['--start-timeout']);
  expect(await completed(['run', '--ti'])).toEqual(['--timeout', '--time-limit']);
});

test('an option is offered again only if it is repeatable', async () => {
  expect(await completed(['run', '--smoke', '--rule', '5.2/*', '--sm'])).toEqual([]);
  expect(await completed(['run', '--rule', '5.2/*', '--ru'])).toEqual(['--rule']);
  expect(await completed(['run', '--dialect=svc', '--di'])).toEqual([]);
});

test('the value of an option is completed to one that the option accepts', async () => {
  expect(await completed(['run', '--level', ''])).toEqual(['must', 'observed', 'advised', 'open']);
  expect(await completed(['run', '--level=o'])).toEqual(['--level=observed', '--level=open']);
  expect(await completed(['wire', '--dialect', 'u'])).toEqual(['ucloud']);
  expect(await completed(['run', '--reporter', 'j'])).toEqual(['json-lines', 'junit']);
  expect(await completed(['run', '--adapter', 'py'])).toEqual(['python']);
  expect(await completed(['run', '--timeout', ''])).toEqual([]);
  expect(await completed(['run', '-j', ''])).toEqual([]);
  // Bash makes three words of --level=o.
  expect(await completed(['run', '--level', '=', 'o'])).toEqual(['observed', 'open']);
  expect(await completed(['wire', '--dialect', '='])).toContain('ucloud');
});

test('an operand is completed to a value that the verb accepts', async () => {
  expect(await completed(['show', 'authorization/folding/replaces-a-fold-with-a'])).toEqual([
    'authorization/folding/replaces-a-fold-with-a-tab',
  ]);
  expect(await completed(['show', 'folds-k'])).toEqual(['folds-kept']);
  expect(await completed(['show', '8/etag'])).toEqual(['8/etag-block-size']);
  expect(await completed(['init', 'p'])).toEqual(['php', 'python']);
  expect(await completed(['vectors', 'f'])).toEqual(['fill']);
});

test('each operand is completed at its place', async () => {
  expect(await completed(['check', 'a'])).toEqual([]);
  expect(await completed(['check', 'answers.jsonl', 'authorization/folding/re'])).not.toEqual([]);
  expect(await completed(['init', '--ci', 'gitlab', 'p'])).toEqual(['php', 'python']);
  expect(await completed(['init', 'python', 'p'])).toEqual([]);
  expect(await completed(['vectors', 'fill', 'p'])).toEqual([]);
  expect(await completed(['run', 'etag', 'verify-q'])).toContain(
    'verify-query/wrong-signatures/refuses-a-blank-behind-the-signature',
  );
  expect(await completed(['accept', '--cause', 'unex'])).toEqual(['unexplained']);
});

test('words after -- have no candidates', async () => {
  expect(await completed(['run', '--', ''])).toEqual([]);
  expect(await completed(['list', '--'])).not.toContain('--');
});

test('the help of every verb lists all its options and no others, in at most 80 columns', async () => {
  for (const [name, load] of Object.entries(VERBS)) {
    const { stdout } = await svcConformance([name, '--help']);
    const shown = [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, option]) => option);
    expect(shown.sort(), name).toEqual(Object.keys((await load()).options).sort());
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});
