import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { unwrapped } from './svc-conformance.ts';
import { program, trial } from './trial.ts';

/** Each is written as it stands in place of a reply; `$N` is the number of the question. */
const WRONG_REPLIES: Readonly<Record<string, readonly [line: string, fault: string]>> = {
  'result-that-is-text': ['{"n":$N,"result":"x"}', 'result is not of type object'],
  'result-that-is-empty': ['{"n":$N,"result":{}}', 'result must NOT have fewer than 1 properties'],
  'result-that-is-null': ['{"n":$N,"result":null}', 'result is not of type object'],
  'stage-that-is-a-number': ['{"n":$N,"result":{"encoded":1}}', 'encoded is not of type string'],
  'stage-that-nobody-knows': ['{"n":$N,"result":{"encoding":"x"}}', 'unknown member "encoding"'],
  'stage-of-another-operation': ['{"n":$N,"result":{"value":"x"}}', 'the result lacks encoded'],
  'trace-alone': ['{"n":$N,"trace":{"encoded":"x"}}', 'lacks the member "result"'],
  'result-and-refused': [
    '{"n":$N,"result":{"encoded":"x"},"refused":{"reason":"x"}}',
    'has not exactly one of result, refused, unsupported, error',
  ],
  'refused-without-reason': ['{"n":$N,"refused":{}}', 'refused lacks the member "reason"'],
  'refused-that-is-text': ['{"n":$N,"refused":"no"}', 'refused is not of type object'],
  'unsupported-that-is-false': ['{"n":$N,"unsupported":false}', 'unsupported is not true'],
  'error-that-is-an-object': ['{"n":$N,"error":{"code":1}}', 'error is not of type string'],
  'unknown-member': ['{"n":$N,"error":"x","took":3}', 'unknown member "took"'],
  'nothing-but-n': ['{"n":$N}', 'the message lacks the member "result"'],
  'n-as-text': ['{"n":"$N","result":{"encoded":"x"}}', 'n is not of type integer'],
  'n-with-a-fraction': ['{"n":$N.5,"result":{"encoded":"x"}}', 'n is not of type integer'],
  'n-of-nothing': ['{"n":99999,"error":"x"}', 'question 99999, which it was not asked'],
  'no-n': ['{"result":{"encoded":"x"},"trace":{}}', 'the message lacks the member "n"'],
  'a-list': ['[{"n":$N,"error":"x"}]', 'the message is not of type object'],
  'null-alone': ['null', 'the message is not of type object'],
  'half-of-json': ['{"n":$N,"result":{"encoded":"x"}', 'is not JSON'],
  'no-json': ['Error: 42', 'the line "Error: 42" is not JSON'],
  'a-blank': [' ', 'the line " " is not JSON'],
  'two-replies-on-a-line': ['{"n":$N,"error":"x"}{"n":$N,"error":"x"}', 'is not JSON'],
};

const folder = mkdtempSync(join(tmpdir(), 'svc-replies-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A suite whose texts are the replies that the program gives to them. JSON is YAML. */
function writeSuite(): void {
  const rule = { id: '5.3/escaped', level: 'must', text: 'All is escaped.' };
  const common = { rules: [rule.id], why: 'The program writes its text.', source: 'none' };
  const vectors = Object.entries({ right: ['a'], ...WRONG_REPLIES }).map(([id, [text]]) => ({
    ...{ id, ...common, input: { text }, expect: { encoded: text } },
  }));
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ rules: [rule] }));
  mkdirSync(join(folder, 'url-encode'));
  const file = { operation: 'url-encode', vectors };
  writeFileSync(join(folder, 'url-encode', 'replies.yaml'), JSON.stringify(file));
}

writeSuite();

test.concurrent.each(['1', '64'])(
  'whatever is no reply is garbage, and is told why, window %s',
  async (window) => {
    const { result, stdout } = await trial(program('writes-its-text', window), [
      ...['--vectors', folder, '--all'],
    ]);
    const blocks = stdout.split('\n\n').map(unwrapped);
    const names = Object.keys(WRONG_REPLIES);
    expect(result).toEqual({
      code: 1,
      failures: Object.fromEntries(names.map((name) => [`url-encode/replies/${name}`, 'garbage'])),
      counts: { pass: 1, garbage: names.length },
    });
    for (const [name, [, fault]] of Object.entries(WRONG_REPLIES)) {
      expect(blocks).toContainEqual(expect.stringMatching(new RegExp(`${name} .*${fault}`)));
    }
  },
);
