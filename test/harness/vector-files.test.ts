import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../temporary-folder.ts';
import { type Ended, svcConformance } from './svc-conformance.ts';

const root = folderOfFile();

const RULES = `rules:
  - id: 5.3/escaped
    level: must
    text: All is escaped.
  - id: 5.3/unclear
    level: open
    text: Nobody says.
  - id: 5.3/unseen
    level: must
    text: Nobody sees it.
    untested: It is not seen.
`;

const VECTORS = `operation: url-encode
source: spec §5.3
vectors:
  - id: right
    rules: [5.3/escaped]
    why: It is right.
    input: { text: a }
    expect: { encoded: a }
  - id: first
    rules: [5.3/escaped]
    why: It is changed.
    input:
      text: b
    expect:
      encoded: b
`;

const SOME = 'url-encode/some.yaml';

let folders = 0;

/** A folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = join(root, `${++folders}`);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}

/** Replaces the last occurrence of a text. */
function changed(text: string, from: string, to: string): string {
  const start = text.lastIndexOf(from);
  if (start < 0) throw new Error(`nowhere stands ${JSON.stringify(from)}`);
  return text.slice(0, start) + to + text.slice(start + from.length);
}

function list(folder: string): Promise<Ended> {
  return svcConformance(['list', '--vectors', folder]);
}

test.concurrent('the files from which the wrong ones are made are valid', async () => {
  const { code, stdout, stderr } = await list(folderOf({ 'rules.yaml': RULES, [SOME]: VECTORS }));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('url-encode/some/first\tmust\t5.3/escaped\n');
});

const ANSWER = 'expect:\n      encoded: b';

/** The change to the valid file, and the place of the problem. */
const WRONG_VECTORS: Readonly<Record<string, readonly [from: string, to: string, place: string]>> =
  {
    'a bracket that does not end': ['[5.3/escaped]', '[5.3/escaped', '11:5'],
    'a tab as indent': ['      text: b', '\ttext: b', '13:1'],
    'a member twice': ['why: It is changed.', 'why: It is.\n    why: It is.', '12:5'],
    'an alias': ['encoded: b', 'encoded: *b', '15:16'],
    'an anchor': ['encoded: b', 'encoded: &b b', '15:19'],
    'a tag': ['encoded: b', 'encoded: !secret b', '15:24'],
    'an unknown member': ['why: It is changed.', 'wy: It is changed.', '11:5'],
    'an unknown member of the input': ['text: b', 'text: b\n      txt: c', '14:7'],
    'a number for a text': ['encoded: b', 'encoded: 1', '15:16'],
    'a text for a list': ['[5.3/escaped]', '5.3/escaped', '10:12'],
    'an id with a blank': ['id: first', 'id: the first', '9:9'],
    'an id for the second time': ['id: first', 'id: right', '9:9'],
    'an unknown rule': ['[5.3/escaped]', '[5.3/escaped, 5.3/none]', '10:26'],
    'an untestable rule': ['[5.3/escaped]', '[5.3/unseen]', '10:13'],
    'a stage of another operation': ['encoded: b', 'signature: b', '15:7'],
    'no stage': ['encoded: b', '{}', '15:7'],
    'an open rule with one answer': ['[5.3/escaped]', '[5.3/unclear]', '9:5'],
    'a refusal without control': [ANSWER, 'refuse: { reason: text }', '9:5'],
    'an unknown reason': [
      ANSWER,
      'refuse: { reason: bad }\n    control: { input: {}, expect: { encoded: b } }',
      '14:23',
    ],
    'neither answer nor refusal': [`    ${ANSWER}\n`, '', '9:5'],
    'the operation of another folder': ['operation: url-encode', 'operation: password', '1:12'],
    'an unknown operation': ['operation: url-encode', 'operation: escape', '1:12'],
    'an unknown vector to keep': [
      'vectors:\n',
      'keep:\n  - because: It is dear.\n    vectors: [right, none]\nvectors:\n',
      '5:22',
    ],
    'a vector to keep for two reasons': [
      'vectors:\n',
      'keep:\n  - because: It is dear.\n    vectors: [right, right]\nvectors:\n',
      '5:22',
    ],
    'a vector to keep for no reason': [
      'vectors:\n',
      'keep:\n  - vectors: [right]\nvectors:\n',
      '4:5',
    ],
    'no vectors': [VECTORS.slice(VECTORS.indexOf('vectors:')), 'vectors: []\n', '3:10'],
    'nothing at all': [VECTORS, '', '1:1'],
    'a text alone': [VECTORS, 'text\n', '1:1'],
  };

const nameOf = (what: string): string => `url-encode/${what.replaceAll(' ', '-')}.yaml`;

const wrongVectors = list(
  folderOf({
    'rules.yaml': RULES,
    ...Object.fromEntries(
      Object.entries(WRONG_VECTORS).map(([what, [from, to]]) => [
        nameOf(what),
        changed(VECTORS, from, to),
      ]),
    ),
  }),
);

test.concurrent('wrong vectors give exit code 3, and a place for every problem', async () => {
  const { code, stdout, stderr } = await wrongVectors;
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(/^(\S+\/url-encode\/\S+\.yaml:[0-9]+:[0-9]+: .+\n)+[0-9]+ problems .+\n$/);
});

test.concurrent.each(Object.entries(WRONG_VECTORS))(
  'the error has the place of %s',
  async (what, [, , place]) => {
    expect((await wrongVectors).stderr).toContain(`/${nameOf(what)}:${place}: `);
  },
);

test.concurrent.each([
  ['a repeated rule', 'id: 5.3/unclear', 'id: 5.3/escaped', '5:9'],
  ['an unknown level', 'level: open', 'level: maybe', '6:12'],
  ['an id without a section', 'id: 5.3/unclear', 'id: unclear', '5:9'],
  ['malformed YAML', 'text: Nobody says.', 'text: "Nobody says.', '12:1'],
])('exit code 3 and the place of %s', async (_, from, to, place) => {
  const rules = changed(RULES, from, to);
  const { code, stderr } = await list(folderOf({ 'rules.yaml': rules, [SOME]: VECTORS }));
  expect(code).toBe(3);
  expect(stderr).toContain(`/rules.yaml:${place}`);
});

test.concurrent('a wrong rule is not reported for the vectors that name it', async () => {
  const rules = changed(RULES, 'level: open', 'level: maybe');
  const { stderr } = await list(folderOf({ 'rules.yaml': rules, [SOME]: VECTORS }));
  expect(stderr.match(/^\S+:[0-9]+:[0-9]+: /gm)).toHaveLength(1);
});

test.concurrent('a folder without rules gives exit code 3', async () => {
  const { code, stderr } = await list(folderOf({ [SOME]: VECTORS }));
  expect(code).toBe(3);
  expect(stderr).toContain('/rules.yaml:1:1: the file cannot be read');
});

test.concurrent('a folder with the name of a vector file gives exit code 3', async () => {
  const folder = folderOf({ 'rules.yaml': RULES, [SOME]: VECTORS, 'a/b.yaml/c': '' });
  const { code, stderr } = await list(folder);
  expect(code).toBe(3);
  expect(stderr).toContain('/a/b.yaml:1:1: the file cannot be read');
});

test.concurrent('a folder without vectors gives exit code 2', async () => {
  const { code, stderr } = await list(folderOf({ 'rules.yaml': RULES }));
  expect(code).toBe(2);
  expect(stderr).toMatch(/^svc-conformance: .+\n$/);
});

test.concurrent.each([
  ['run', '--vectors'],
  ['vectors', 'check'],
])('`%s %s` reports a wrong vector with its place', async (...verb) => {
  const wrong = changed(VECTORS, 'encoded: b', 'encoded: 1');
  const folder = folderOf({ 'rules.yaml': RULES, [SOME]: wrong });
  const { code, stdout, stderr } = await svcConformance([...verb, folder]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toMatch(/\/some\.yaml:15:16: .*\n1 problem/);
});

test.concurrent('a smoke set that names a missing vector is invalid data, which --write-smoke fixes', async () => {
  const files = { 'rules.yaml': RULES, [SOME]: VECTORS };
  const smoke = 'vectors:\n  - url-encode/some/first\n  - url-encode/some/gone\n';
  const folder = folderOf({ ...files, 'smoke.yaml': smoke });
  const { code, stderr } = await list(folder);
  expect(code).toBe(3);
  await svcConformance(['vectors', 'prove', '--write-smoke', folder]);
  expect((await list(folder)).code).toBe(0);
  expect(stderr).toContain(
    'smoke.yaml:3:5: vectors/1 is url-encode/some/gone, which is not a vector',
  );
});

test.concurrent('--smoke selects the smoke set, and other filters apply as well', async () => {
  const smoke = 'vectors:\n  - url-encode/some/first\n';
  const files = { 'rules.yaml': RULES, [SOME]: VECTORS, 'smoke.yaml': smoke };
  const options = ['list', '--vectors', folderOf(files), '--smoke'];
  const [chosen, none] = await Promise.all([
    svcConformance(options),
    svcConformance([...options, 'url-encode/some/right']),
  ]);
  expect(chosen.stdout).toBe('url-encode/some/first\tmust\t5.3/escaped\n');
  expect(none.code).toBe(2);
});
