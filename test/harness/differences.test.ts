import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFirstDifference } from '../../harness/engine/judge/comparison.ts';
import { always } from '../properties.ts';

const encode = (json: string): string => Buffer.from(json).toString('base64url');
const padded = (text: string): string => text + '='.repeat(-text.length & 3);

test('a policy that is sent as JSON, without Base64, is a failure', () => {
  const json = '{"callbackUrl":"http://hooks.example/done"}';
  const due = { policy: padded(encode(json)) };
  expect(findFirstDifference('policy', due, { policy: json })).toMatchObject({
    expected: due.policy,
    actual: json,
  });
});

test('a policy in another form of Base64 is shown as it was sent, beside the correct one', () => {
  const difference = findFirstDifference('policy', { policy: 'e30=' }, { policy: 'e30' });
  expect(difference).toEqual({ stage: 'policy', expected: 'e30=', actual: 'e30', at: 3 });
});

test('policies with different JSON are shown decoded, with the members in the order that was sent', () => {
  const [due, sent] = ['{"a":"1","b":"2"}', '{"b":"3","a":"1"}'].map((json) => ({
    policy: padded(encode(json)),
  }));
  expect(findFirstDifference('policy', due ?? {}, sent ?? {})).toEqual({
    stage: 'policy',
    expected: '{"b":"2","a":"1"}',
    actual: '{"b":"3","a":"1"}',
    isDecoded: true,
    at: 6,
  });
});

test('a URL is shown as it was sent; the expected one has the same order of parameters and the same escaped slashes', () => {
  const due = { url: 'http://host/a/b%20c?Expires=1&Signature=x%3D&SvcPublicKey=k' };
  const sent = { url: 'http://host/a%2fb%20c?SvcPublicKey=k&Signature=x=&Expires=1' };
  expect(findFirstDifference('presigned-url', due, sent)).toEqual({
    stage: 'url',
    expected: 'http://host/a%2fb%20c?SvcPublicKey=k&Signature=x%3D&Expires=1',
    actual: sent.url,
    at: sent.url.indexOf('=&Expires'),
  });
});

test('a JSON body is shown with the numbers and the order that were sent', () => {
  const due = { body: '{"Action":"A","Count":9007199254740993,"List":[{"b":1,"a":100}]}' };
  const sent = { body: '{ "List":[{"a":1e2,"b":1}], "Count":"9007199254740993", "Action":"A"}' };
  expect(findFirstDifference('action-json', due, sent)).toMatchObject({
    expected: '{"List":[{"a":1e2,"b":1}],"Count":9007199254740993,"Action":"A"}',
    actual: '{"List":[{"a":1e2,"b":1}],"Count":"9007199254740993","Action":"A"}',
  });
});

test('the actual query is never rewritten, and the expected one differs from it where the index says', () => {
  const parameters = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,2}=[0-9]{0,2}$/), {
    minLength: 1,
    selector: (parameter) => parameter.split('=')[0],
  });
  const queries = parameters.chain((all) =>
    fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.nat(all.length - 1)),
  );
  always([queries], ([sent, wrong]) => {
    const due = { target: `/?${[...sent].sort().join('&')}` };
    const changed = sent.map((parameter, i) => (i === wrong ? `${parameter}9` : parameter));
    const target = `/?${changed.join('&')}`;
    const difference = findFirstDifference('instant-upload', due, { target, signature: '' });
    const correct = `/?${sent.join('&')}`;
    expect(difference).toMatchObject({ expected: correct, actual: target });
    expect(target.slice(0, difference?.at)).toBe(correct.slice(0, difference?.at));
  });
});
