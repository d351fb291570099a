import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { unwrapped } from './svc-conformance.ts';
import { program, trialIn, WIRES, type WireForm } from './trial.ts';

/** Texts in place of a reply, with `$N` for the number of the question, and the reported fault. */
type WrongReplies = Readonly<Record<string, readonly [text: string, fault: string]>>;

const IN_JSON: WrongReplies = {
  'result-that-is-text': ['{"n":$N,"result":"x"}', 'result is not of type object'],
  'result-that-is-empty': ['{"n":$N,"result":{}}', 'result must NOT have fewer than 1 properties'],
  'result-that-is-null': ['{"n":$N,"result":null}', 'result is not of type object'],
  'stage-that-is-a-number': ['{"n":$N,"result":{"encoded":1}}', 'encoded is not of type string'],
  'stage-that-nobody-knows': ['{"n":$N,"result":{"encoding":"x"}}', 'unknown member "encoding"'],
  'stage-of-another-operation': ['{"n":$N,"result":{"value":"x"}}', 'the result lacks encoded'],
  'trace-alone': ['{"n":$N,"trace":{"encoded":"x"}}', 'lacks the member "result"'],
  'result-and-refused': [
    '{"n":$N,"result":{"encoded":"x"},"refused":{"reason":"x"}}',
    'does not have exactly one of result, refused, unsupported, error',
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

const IN_TABS: WrongReplies = {
  'result-that-is-text': [
    'n\t$N\nresult\tx\n',
    'result is not of type object .*: n\\\\t[0-9]+\\\\nresult\\\\tx',
  ],
  'stage-that-is-a-list': ['n\t$N\nresult.encoded.0\tx\n', 'encoded is not of type string'],
  'stage-that-nobody-knows': ['n\t$N\nresult.encoding\tx\n', 'unknown member "encoding"'],
  'stage-of-another-operation': ['n\t$N\nresult.value\tx\n', 'the result lacks encoded'],
  'trace-alone': ['n\t$N\ntrace.encoded\tx\n', 'lacks the member "result"'],
  'result-and-refused': [
    'n\t$N\nresult.encoded\tx\nrefused.reason\tx\n',
    'does not have exactly one of result, refused, unsupported, error',
  ],
  'refused-without-reason': ['n\t$N\nrefused.message\tx\n', 'lacks the member "reason"'],
  'unsupported-that-is-false': ['n\t$N\nunsupported\tfalse\n', 'unsupported is not true'],
  'count-that-is-none': [
    'n\t$N\nresult.encoded\tx\ntrace.blockCount\tone\n',
    'trace/blockCount is not of type integer',
  ],
  'unknown-member': ['n\t$N\nerror\tx\ntook\t3\n', 'unknown member "took"'],
  'nothing-but-n': ['n\t$N\n', 'the message lacks the member "result"'],
  'n-with-a-zero-before': ['n\t0$N\nresult.encoded\tx\n', 'n is not of type integer'],
  'n-with-a-carriage-return': ['n\t$N\r\nerror\tx\r\n', 'n is not of type integer'],
  'n-of-nothing': ['n\t99999\nerror\tx\n', 'question 99999, which it was not asked'],
  'no-n': ['result.encoded\tx\ntrace.encoded\tx\n', 'the message lacks the member "n"'],
  'no-key': ['n\t$N\nerror\tx\n\tx\n', 'unknown member ""'],
  'a-name-of-objects': ['n\t$N\nerror\tx\n__proto__.error\tx\n', 'unknown member "__proto__"'],
  'a-key-twice': ['n\t$N\nerror\tx\nerror\tx\n', 'the key "error" appears twice'],
  'a-value-with-members': [
    'n\t$N\nerror\tx\nerror.code\t1\n',
    '"error" has both a value and members',
  ],
  'a-list-without-its-count': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters.0.0\tx\ntrace.sortedParameters.0.1\ty\n',
    'the list sortedParameters lacks the line with its number of elements',
  ],
  'a-list-of-more-than-it-says': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters\t0\ntrace.sortedParameters.0.0\tx\n',
    'sortedParameters does not have 0 elements, numbered from 0',
  ],
  'a-list-of-fewer-than-it-says': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters\t99999999999999\n',
    'sortedParameters does not have 99999999999999 elements, numbered from 0',
  ],
  'a-list-from-one': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters\t1\ntrace.sortedParameters.1.0\tx\n',
    'sortedParameters does not have 1 elements, numbered from 0',
  ],
  'half-a-pair': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters\t1\ntrace.sortedParameters.0.0\tx\n',
    'a pair of sortedParameters does not have 2 elements, numbered from 0',
  ],
  'a-pair-that-is-counted': [
    'n\t$N\nresult.encoded\tx\ntrace.sortedParameters\t1\ntrace.sortedParameters.0\t2\n',
    'a pair of sortedParameters has a line without a position',
  ],
  'an-unknown-escape': [
    'n\t$N\nresult.encoded\ta\\rb\n',
    'a value has \\\\r; a backslash is written \\\\\\\\',
  ],
  'a-tab-within': [
    'n\t$N\nresult.encoded\ta\tb\n',
    'the value of "result.encoded" has a tab; a tab is written \\\\t',
  ],
  'half-an-escape': [
    'n\t$N\nresult.encoded\ta\\\n',
    'a value has \\\\; a backslash is written \\\\\\\\',
  ],
  'json-instead': ['{"n":$N,"error":"x"}', 'is not a key, a tab and a value'],
  'no-tab': ['Error: 42', 'the line "Error: 42" is not a key, a tab and a value'],
  'a-blank-line': ['\nn\t$N\nerror\tx\n', 'a blank line without a message before it'],
  'two-messages': ['n\t$N\nerror\tx\n\nn\t$N\nerror\tx\n', 'it replied to this question twice'],
};

const WRONG_REPLIES: Readonly<Record<WireForm, WrongReplies>> = { json: IN_JSON, tabs: IN_TABS };

const folders = new Map(WIRES.map((wire) => [wire, mkdtempSync(join(tmpdir(), 'svc-replies-'))]));
afterAll(() => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true });
});

/** Writes a suite whose texts are the replies that the program writes. JSON is valid YAML. */
function writeSuite(folder: string, wrongReplies: WrongReplies): void {
  const rule = { id: '5.3/escaped', level: 'must', text: 'All is escaped.' };
  const common = { rules: [rule.id], why: 'The program writes its text.', source: 'none' };
  const vectors = Object.entries({ right: ['a'], ...wrongReplies }).map(([id, [text]]) => ({
    ...{ id, ...common, input: { text }, expect: { encoded: text } },
  }));
  writeFileSync(join(folder, 'rules.yaml'), JSON.stringify({ rules: [rule] }));
  mkdirSync(join(folder, 'url-encode'));
  const file = { operation: 'url-encode', vectors };
  writeFileSync(join(folder, 'url-encode', 'replies.yaml'), JSON.stringify(file));
}

for (const [wire, folder] of folders) writeSuite(folder, WRONG_REPLIES[wire]);

test.concurrent.each(WIRES.flatMap((wire) => ['1', '64'].map((window) => [wire, window] as const)))(
  'malformed replies are reported with their fault, in %s, window %s',
  async (wire, window) => {
    const wrongReplies = WRONG_REPLIES[wire];
    const { result, stdout } = await trialIn(wire)(program('writes-its-text', window), [
      ...['--vectors', folders.get(wire) ?? '', '--all'],
    ]);
    const blocks = stdout.split('\n\n').map(unwrapped);
    const names = Object.keys(wrongReplies);
    expect(result).toEqual({
      code: 1,
      failures: Object.fromEntries(names.map((name) => [`url-encode/replies/${name}`, 'garbage'])),
      counts: { pass: 1, garbage: names.length },
    });
    for (const [name, [, fault]] of Object.entries(wrongReplies)) {
      expect(blocks).toContainEqual(expect.stringMatching(new RegExp(`${name} .*${fault}`)));
    }
  },
);
