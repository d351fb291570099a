/**
 * Answers without the private keys that a request carried in some form.
 *
 * @module
 */
import type { Answer } from './answer.ts';
import { withoutSecrets } from './secret-keys.ts';
import type { Account } from './service.ts';

/** Headers of any answer that repeat what the request says; all others have what is stored. */
const REPEATING = /^(?:Access-Control-Allow-Headers|X-Svc-Conformance-.*)$/i;

/**
 * Hides private keys in what an answer says of its request.
 *
 * What is stored is answered as it was stored: a client that writes its key into a file gets the file back.
 */
export function concealedAnswer(accounts: readonly Account[], answer: Answer): Answer {
  const isError = answer.status >= 400 || answer.code !== 0;
  const headers = answer.headers.map(
    ([name, value]) =>
      [name, isError || REPEATING.test(name) ? withoutSecrets(accounts, value) : value] as const,
  );
  const { body } = answer;
  if (!isError || body.kind !== 'bytes') return { ...answer, headers };
  const members: unknown = JSON.parse(Buffer.from(body.bytes).toString('utf8'));
  const bytes = Buffer.from(JSON.stringify(withoutSecrets(accounts, members)), 'utf8');
  return { ...answer, headers, body: { kind: 'bytes', bytes } };
}
