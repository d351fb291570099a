import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { someOf, thorough } from '../amount.ts';
import { folderOfFile } from '../temporary-folder.ts';
import { programPath } from './program-path.ts';
import { type Line, linesIn, reportLines } from './report-lines.ts';
import { type Ended, svcConformance } from './svc-conformance.ts';
import { testUsageErrors } from './usage-errors.ts';

const ANSWERING = programPath('answers-questions.mjs');

const folder = folderOfFile();

const schemas = new Ajv2020({ allErrors: true, strict: false });
for (const name of ['operations', 'protocol', 'vectors', 'offline'])
  schemas.addSchema(JSON.parse(readFileSync(`schema/${name}.schema.json`, 'utf8')));

/** Whether a value fits a part of the schema of exports. */
function fits(part: string, value: unknown): boolean {
  return schemas.validate(`offline.schema.json#/$defs/${part}`, value);
}

async function exported(...parameters: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await svcConformance(['export', ...parameters]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The answers of a program that makes these mistakes, without the harness. */
function answered(questions: string, ...mistakes: readonly string[]): string {
  const { status, stdout } = spawnSync(process.execPath, [ANSWERING, ...mistakes], {
    input: questions,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(status).toBe(0);
  return stdout;
}

let files = 0;

/** Judges answers that were written into a file. */
async function checked(answers: string, ...options: readonly string[]): Promise<Ended> {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, answers);
  return svcConformance(['check', path, ...options]);
}

test.concurrent('an export has a question for each vector and control, and is the same every time', async () => {
  const [text, again] = await Promise.all([exported('--large'), exported('--large')]);
  expect(again).toBe(text);
  const [header, ...questions] = linesIn(text);
  expect(fits('header', header)).toBe(true);
  expect(questions.filter((question) => !fits('question', question))).toEqual([]);
  expect(header).toMatchObject({ questions: questions.length });
  const { stdout } = await svcConformance(['list']);
  const ids = questions.filter(({ control }) => !control).map(({ id }) => id);
  expect(ids).toEqual(linesOf(stdout).map((line) => line.split('\t')[0]));
  expect(questions.length).toBeGreaterThan(ids.length);
});

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

test.concurrent.each(someOf(['Acme,X-Acme-,AcmeKey', 'svc', 'ucloud'], 3))(
  'correct answers in the dialect %s pass',
  async (dialect) => {
    const answers = answered(await exported('--dialect', dialect));
    const { code, stdout, stderr } = await checked(answers);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^all as expected/);
    expect(stdout).toMatch(/^ {2}must +\d+ pass$/m);
    expect(code).toBe(0);
  },
);

test.concurrent('each question in a file is one line for every line reader', async () => {
  const path = join(folder, 'line-ends.jsonl');
  await exported('url-encode/beyond-ascii', '--out', path);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('\\u2028');
  expect(text).not.toMatch(/[\r\u0085\u2028\u2029]/);
});

test.concurrent('check names the mistakes in a file of answers as the causes', async () => {
  const mistakes = ['headers-merged-by-comma-space', 'etag-hexadecimal', 'verify-scheme-glued'];
  const { code, stdout } = await checked(answered(await exported(), ...mistakes), '--all');
  expect(code).toBe(1);
  const causes = [...stdout.matchAll(/^CAUSE (\S+)/gm)].map(([, cause]) => cause);
  expect(causes.sort()).toEqual(mistakes.sort());
  expect(stdout).toMatch(/^FAIL authorization\//m);
  expect(stdout).toMatch(/^ {2}trace|^ {2}shape|^ {2}authorization differs at character/m);
});

thorough.concurrent('check names the mistake in answers in another dialect', async () => {
  const questions = await exported('--dialect', 'ucloud', 'authorization');
  const { stdout } = await checked(answered(questions, 'signature-url-safe'));
  expect(stdout).toMatch(/^CAUSE signature-url-safe$/m);
  expect(stdout).toContain('in the dialect ucloud');
});

thorough.concurrent('an unexplained failure is reported without further questions', async () => {
  const answers = linesOf(answered(await exported('url-encode'))).map((line) =>
    line.replace(/"encoded":"/, '"encoded":"~~'),
  );
  const { code, stdout } = await checked(answers.join('\n'));
  expect(code).toBe(1);
  expect(stdout).toMatch(/^UNEXPLAINED by any known mistake$/m);
  expect(stdout).toContain('encoded differs at character 1');
  expect(stdout).not.toContain('smallest');
  expect(stdout).not.toContain('the search for smaller requests stopped early');
});

thorough.concurrent('check requires answers to all exported questions and no others', async () => {
  const answers = answered(await exported('password', '--level', 'must'));
  const [header = '', ...own] = linesOf(answers);
  const count = own.length;
  const all = await checked(answers);
  expect(all.stdout).toContain(`  must      ${count} pass\n`);
  expect(all.code).toBe(0);
  const some = await checked([header, ...own.slice(2)].join('\n'));
  expect(some.stdout).toContain(`  must      ${count - 2} pass · 2 not-asked\n`);
  expect(some.stdout).toContain(`2 of ${count} questions have no answer`);
  expect(some.code).toBe(5);
  const headless = await checked(own.join('\n'));
  expect(headless.stdout).toMatch(/^ {2}must +\d+ pass · \d+ not-asked$/m);
  expect(headless.code).toBe(5);
  const selected = await checked(own.join('\n'), 'password', '--level', 'must');
  expect(selected.code).toBe(0);
});

test.concurrent('a refusal whose control has no answer does not pass', async () => {
  const questions = await exported('authorization/refusals');
  const own = linesOf(answered(questions)).filter((line) => !line.includes('"control":true'));
  const { code, stdout } = await checked(own.join('\n'));
  expect(stdout).not.toMatch(/\d pass/);
  expect(code).toBe(5);
});

test.concurrent('a report for programs names the implementation that answered', async () => {
  const implementation = { name: 'phone', version: '2', language: 'kotlin' };
  const [header = '', ...own] = linesOf(answered(await exported('password')));
  const answers = [JSON.stringify({ ...JSON.parse(header), implementation }), ...own].join('\r\n');
  const { code, stdout } = await checked(`\uFEFF${answers}\r\n\r\n`, '--reporter', 'json-lines');
  expect(code).toBe(0);
  const lines = reportLines(stdout);
  expect(lines[1]).toMatchObject({ type: 'adapter', implementation });
  expect(lines.at(-1)).toMatchObject({ exitCode: 0, counts: [{ adapter: expect.any(String) }] });
});

test.concurrent('an answer may be unsupported or an error', async () => {
  const { stdout } = await checked(
    [
      '{"id":"password/base64/encodes-an-empty-password-as-an-empty-text","unsupported":true}',
      '{"id":"password/base64/encodes-base64-once-more","error":"out of memory"}',
    ].join('\n'),
    'password/base64/encodes-an-empty-password-as-an-empty-text',
    'password/base64/encodes-base64-once-more',
  );
  expect(stdout).toContain('1 error · 1 unsupported');
  expect(stdout).toContain('out of memory');
});

const ANSWER = '{"id":"password/base64/encodes-base64-once-more","result":{"value":"x"}}';

test.concurrent.each<readonly [what: string, answers: string, line: number, said: string]>([
  ['is not JSON', `${ANSWER}\n{"id":`, 2, '"{\\"id\\":" is not JSON'],
  ['is not an object', `\n[1]`, 2, 'the line is not of type object'],
  ['has no id', '{"unsupported":true}', 1, 'lacks the member "id"'],
  ['has no result', '{"id":"password/a/b"}', 1, 'does not have exactly one of result, refused'],
  [
    'has two results',
    '{"id":"a","error":"x","unsupported":true}',
    1,
    'does not have exactly one of',
  ],
  ['has a member too many', '{"id":"a","error":"x","n":1}', 1, 'has the unknown member "n"'],
  ['refuses without a reason', '{"id":"a","refused":{}}', 1, 'refused lacks the member "reason"'],
  ['answers an unknown vector', '{"id":"a/b","error":"x"}', 1, 'no vector is named "a/b"'],
  ['answers a second time', `${ANSWER}\n${ANSWER}`, 2, 'is answered a second time, after'],
  [
    'answers a control that does not exist',
    ANSWER.replace('"result"', '"control":true,"result"'),
    1,
    'has no control; leave it out',
  ],
  ['is a header without a required member', '{"type":"header","format":1}', 1, 'lacks the member'],
  ['is not in UTF-8', '\u0000latin', 1, 'is not UTF-8'],
])('a line that %s is reported with file and line', async (what, answers, line, said) => {
  const path = join(folder, `${++files}.jsonl`);
  writeFileSync(path, what.endsWith('UTF-8') ? Buffer.from([0x22, 0xff, 0x22]) : answers);
  const { code, stdout, stderr } = await svcConformance(['check', path]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain(`${path}:${line}: `);
  expect(stderr).toContain(said);
});

test.concurrent('an answer to a question that was not exported is an error', async () => {
  const answers = answered(await exported('password', '--level', 'must'));
  const other = answered(await exported('password', '--level', 'observed'));
  const { code, stderr } = await checked(answers + linesOf(other).slice(1).join('\n'));
  expect(stderr).toContain('was not among the questions; leave it out');
  expect(code).toBe(3);
});

test.concurrent('thousands of wrong lines are counted instead of listed', async () => {
  const { code, stderr } = await checked('{"id":"x","unsupported":true}\n'.repeat(5000));
  expect(linesOf(stderr).length).toBeLessThan(30);
  expect(stderr).toContain('5000 problems in the data');
  expect(code).toBe(3);
});

test.concurrent('answers for another version or dialect, with filters, or without any line are refused', async () => {
  const answers = answered(await exported('password'));
  const rows: readonly (readonly [answers: string, options: readonly string[], said: string])[] = [
    [
      answers.replace(/"suite":"[^"]*"/, '"suite":"0.0.1"'),
      [],
      'to version "0.0.1" of the vectors, but this is version',
    ],
    [answers, ['--dialect', 'ucloud'], 'in the dialect svc, not ucloud; leave out --dialect'],
    [answers, ['--level', 'must'], 'leave out the options that select vectors'],
    ['', [], 'contains no answers'],
  ];
  for (const [text, options, said] of rows) {
    const { code, stdout, stderr } = await checked(text, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^svc-conformance: .+\n$/);
    expect(stderr).toContain(said);
  }
});

test.concurrent('a bundle is one JSON document with the answers, and fits its schema', async () => {
  const path = join(folder, 'bundle.json');
  expect(await exported('--large', '--format', 'bundle', '--out', path)).toBe('');
  const bundle = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly vectors: readonly Line[];
    readonly rules: readonly Line[];
  };
  expect(fits('bundle', bundle)).toBe(true);
  expect(
    fits('bundle', { ...bundle, vectors: [{ ...bundle.vectors[0], expect: undefined }] }),
  ).toBe(false);
  const rules = new Set(bundle.rules.map(({ id }) => id));
  expect(
    bundle.vectors.flatMap((vector) => vector['rules']).filter((id) => !rules.has(id)),
  ).toEqual([]);
  const { stdout } = await svcConformance(['list']);
  expect(bundle.vectors).toHaveLength(linesOf(stdout).length);
});

test.concurrent('--files writes contents to files that the questions name', async () => {
  const contents = join(folder, 'contents');
  const questions = linesIn(await exported('etag/blocks', '--files', contents)).slice(1);
  const named = questions.map(({ input }) => (input as { content: { file: string } }).content.file);
  expect([...new Set(named)].sort()).toEqual(readdirSync(contents).sort());
  const recipes = linesIn(await exported('etag/blocks')).slice(1);
  const sizes = recipes.map(
    ({ input }) => (input as { content: { recipe: { size: number } } }).content.recipe.size,
  );
  expect(named.map((name) => statSync(join(contents, name)).size)).toEqual(sizes);
});

testUsageErrors([
  ['export --format bundel', 'did you mean bundle?'],
  ['export --out no/such/file', 'there is no such file or folder'],
  ['export --files package.json', 'cannot be written'],
  ['export -- true', 'does not start an adapter'],
  ['check x -- true', 'does not start an adapter'],
  ['check no/such.jsonl', 'cannot be read: there is no such file or folder'],
]);
