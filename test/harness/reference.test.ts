import { expect, test } from 'vitest';
import { Reference } from '../../dist/harness/respondents/reference.js';
import { SVC } from '../../dist/reference/signing/index.js';
import type { Question } from '../../harness/engine/protocol.ts';

const KEYS = { publicKey: '', privateKey: '' };
const question = (operation: string, input: Question['input']): Question => ({
  operation,
  keys: KEYS,
  input,
});

test('a question that fails does not affect the answers to others', async () => {
  const replies = await new Reference(SVC).ask([
    question('etag', { content: { file: '/no/such/file' } }),
    question('password', { text: 'secret' }),
  ]);
  expect(replies).toEqual([
    { kind: 'error', message: expect.stringContaining('ENOENT') },
    { kind: 'result', result: { value: 'c2VjcmV0' }, trace: {} },
  ]);
});

test('after an abort, the remaining questions are not asked', async () => {
  const reference = new Reference(SVC);
  const many = Array.from({ length: 1000 }, () => question('password', { text: '' }));
  setImmediate(() => reference.abort('the run was interrupted'));
  const kinds = (await reference.ask(many)).map(({ kind }) => kind);
  expect(kinds).toHaveLength(1000);
  expect(kinds.at(-1)).toBe('not-asked');
  expect(reference.stopReason).toBe('the run was interrupted');
});
