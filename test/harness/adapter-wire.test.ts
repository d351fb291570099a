import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseTabLines,
  tabsWire,
  writeTabLines,
} from '../../dist/harness/respondents/adapter/tab-wire.js';
import { jsonWire } from '../../harness/respondents/adapter/wire.ts';
import { packagePath } from '../../harness/suite/package-root.ts';
import { thorough } from '../amount.ts';
import { always } from '../properties.ts';
import { run, svcConformance, unwrapped } from './svc-conformance.ts';
import { ALL_PASS, NEVER_WORKED, poisoned, program, trial, trialIn, watched } from './trial.ts';
import { testUsageErrors } from './usage-errors.ts';

const inTabs = trialIn('tabs');

/** Strings of all characters; most often those that have a meaning in tab-separated lines. */
const text = fc.string({
  unit: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('\n', '\t', '\\', '\r', '\0', 'n', 't', '.', '0', '🔑'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 12,
});
const pairs = <T>(value: fc.Arbitrary<T>) => fc.array(fc.tuple(text, value), { maxLength: 4 });

/** The value of a parameter. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(true, false, null),
    fc.record({ number: text }),
    fc.record({ list: fc.array(tie('value'), { maxLength: 4 }) }),
    fc.record({ object: pairs(tie('value')) }),
  ),
}));

const question = fc.record({
  n: fc.nat(),
  operation: text,
  keys: fc.record({ publicKey: text, privateKey: text }),
  input: fc.record(
    {
      text,
      parameters: pairs(value),
      headers: pairs(text),
      fields: pairs(text),
      members: pairs(text),
      content: fc.oneof(fc.record({ file: text }), fc.record({ bytes: text })),
    },
    { requiredKeys: ['text'] },
  ),
});

const stages = fc.record(
  { encoded: text, blockCount: fc.nat(), sortedParameters: pairs(text) },
  { requiredKeys: ['encoded'] },
);
const reply = fc.oneof(
  fc.record({ n: fc.nat(), result: stages, trace: stages }, { requiredKeys: ['n', 'result'] }),
  fc.record({ n: fc.nat(), refused: fc.record({ reason: text, message: text }) }),
  fc.record({ n: fc.nat(), unsupported: fc.constant(true) }),
  fc.record({ n: fc.nat(), error: text }),
);

const hello = fc.record(
  {
    protocol: fc.constant(1),
    implementation: fc.record({ name: text, version: text, language: text }),
    operations: fc.array(text, { maxLength: 12 }),
    traces: fc.array(text, { maxLength: 3 }),
    window: fc.nat(),
  },
  { requiredKeys: ['protocol', 'implementation', 'operations'] },
);

test.each([
  ['question', question],
  ['reply', reply],
  ['reply to hello', hello],
])('a %s survives a round trip through tab-separated lines', (_, messages) => {
  always([messages as fc.Arbitrary<object>], 300, (message) => {
    const read = tabsWire.createReader();
    const heard = `${writeTabLines(message)}\n`
      .split('\n')
      .slice(0, -1)
      .map((line) => read(line));
    expect(heard.pop()).toMatchObject({ message });
    expect(new Set(heard)).toEqual(new Set([undefined]));
  });
});

test('a question in JSON is one line for every line reader, and says the same', () => {
  const ends = fc.string({
    unit: fc.constantFrom('a', '\r', '\u0085', '\u2028', '\u2029'),
    minLength: 1,
  });
  always([ends], (text) => {
    const asked = {
      operation: 'url-encode',
      keys: { publicKey: 'p', privateKey: text },
      input: { text },
    };
    const line = jsonWire.writeQuestion(1, jsonWire.writeBody(asked)).slice(0, -1);
    expect(line).not.toMatch(/[\r\n\u0085\u2028\u2029]/);
    expect(JSON.parse(line)).toEqual({ n: 1, ...asked });
  });
});

test('lines may come in any order', () => {
  always([question, fc.infiniteStream(fc.nat())], (message, ranks) => {
    const lines = writeTabLines(message).split('\n').slice(0, -1);
    const shuffled = lines
      .map((line) => [ranks.next().value, line] as const)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([, line]) => line);
    expect(parseTabLines(shuffled)).toEqual({ message });
  });
});

test('the example in PROTOCOL.md parses as a question and its reply', () => {
  const page = readFileSync(packagePath('adapters/PROTOCOL.md'), 'utf8');
  const [, shown = ''] = /```text\n(n\t7\n.*?\n)```/s.exec(page) ?? [];
  const messages = shown
    .split('\n\n')
    .slice(0, -1)
    .map((one) => parseTabLines(one.split('\n')));
  expect(messages).toEqual([
    {
      message: {
        n: 7,
        operation: 'action-signature',
        keys: { publicKey: 'pub', privateKey: 'pri' },
        input: {
          parameters: [
            ['Action', 'ListBuckets'],
            ['Limit', { number: '1.50' }],
            ['Names', { list: ['a\tb', true] }],
          ],
        },
      },
    },
    {
      message: {
        n: 7,
        result: { signature: '0c5d…' },
        trace: { sortedParameters: [['Action', 'ListBuckets']] },
      },
    },
  ]);
});

const PYTHON = ['python3', packagePath('test/harness/programs/tabs.py')];

test.concurrent('a third-party reader and writer of tab-separated lines passes every vector', async () => {
  const { code, stdout } = await run('--wire tabs', PYTHON);
  expect(unwrapped(stdout)).toMatch(
    /tabs 1\.0\.0 \(python\) .* all as expected(?: in \d+ of \d+ vectors)?$/,
  );
  expect(code).toBe(0);
});

thorough.concurrent('adapter check supports tab-separated lines', async () => {
  const parameters = ['adapter', 'check', '--wire', 'tabs', '--', ...PYTHON];
  const { stdout } = await svcConformance(parameters);
  expect(stdout).toContain('ok   hello: tabs 1.0.0 (python), 18 operations, window 64\n');
  expect(stdout).toMatch(/^ok {3}authorization: [0-9]+ replies$/m);
});

test.concurrent('fuzz supports tab-separated lines', async () => {
  const options = ['--seed', '1', '--wire', 'tabs', '--runs', '300'];
  const parameters = ['fuzz', ...options, '--', ...PYTHON];
  const { code, stdout } = await svcConformance(parameters);
  expect(stdout).toMatch(/^[0-9]+ requests about 18 operations .* 0 findings$/m);
  expect(code).toBe(0);
});

test.concurrent('the command that repeats a finding of fuzz keeps --wire tabs', async () => {
  const mistaken = program('swaps-a-step', '1', 'escapes-spaces-as-plus');
  const selected = ['--operation', 'url-encode', '--runs', '40'];
  const options = ['--wire', 'tabs', '--seed', '1', ...selected];
  const { stdout } = await watched(['fuzz', ...options, '--', ...mistaken], undefined, {
    WIRE: 'tabs',
  });
  expect(stdout).toMatch(
    /^ {2}again: svc-conformance fuzz --operation url-encode .* --wire tabs -- /m,
  );
});

test.concurrent('an endless message is reported for its question', async () => {
  const { result, report } = await inTabs(program('ends-no-message'));
  expect(result).toEqual(poisoned('garbage'));
  expect(report).toContain('it wrote a message of more than 8 MiB');
});

test.concurrent('an endless message before the reply to hello is not tolerated', async () => {
  const { result, report } = await inTabs(program('ends-no-message', '1', 'not even hello'));
  expect(result).toEqual(NEVER_WORKED);
  expect(report).toContain('it wrote a message of more than 8 MiB before it replied to hello');
});

test.concurrent('an adapter that writes JSON in spite of --wire tabs is reported as "never worked"', async () => {
  const json = ['sh', '-c', 'WIRE=json exec "$@"', 'sh', ...program('says-hello-unasked')];
  const { result, report } = await trial(json, ['--start-timeout', '1'], undefined, 'tabs');
  expect(result).toEqual(NEVER_WORKED);
  // On a busy machine, the sentence has more words about the time between these parts.
  expect(report).toContain('it did not reply to hello within 1 s');
  expect(report).toContain('; it wrote "{\\"protocol\\":1,');
});

testUsageErrors([
  ['run --wire xml -- true', '--wire "xml" is not a wire form'],
  ['run --wire tabs', '--wire needs -- COMMAND'],
]);

test.concurrent('--wire json selects JSON lines', async () => {
  expect((await trial(program('is-right'), ['--wire', 'json'])).result).toEqual(ALL_PASS);
});
