/**
 * A client that speaks another dialect than the server.
 *
 * @module
 */
import type { Dialect } from '../../reference/signing/index.ts';
import type { FoundCause } from '../diagnosis/diagnose.ts';
import { dialectMistake } from '../diagnosis/wrong-dialect.ts';
import { dialectName } from '../dialects.ts';
import { dialectOfQuery, dialectOfScheme, headerValue } from '../explain/target.ts';
import type { ClientRequest } from './client-request.ts';
import { signatureFault } from './refusals.ts';

/** The dialect as the cause of all failures that show it; nothing where a request shows the one of the server. */
export function dialectCauses(
  requests: readonly ClientRequest[],
  asked: Dialect,
): readonly FoundCause[] {
  const shown = requests.flatMap((request) => {
    const dialect = shownDialect(request);
    return dialect ? [{ request, dialect }] : [];
  });
  const [first] = shown;
  const names = new Set(shown.map(({ dialect }) => dialectName(dialect)));
  if (!first || names.size > 1 || names.has(dialectName(asked))) return [];
  const failing = shown.filter(({ request }) => signatureFault(request.exchange) !== undefined);
  return [
    {
      mistake: dialectMistake(asked, first.dialect),
      confidence: 'exact',
      others: [],
      explains: failing.map(({ request }) => request.id),
    },
  ];
}

/** The known dialect whose scheme, or else whose public-key parameter, a request has. */
function shownDialect({ exchange, signature }: ClientRequest): Dialect | undefined {
  const subject = signature?.subject;
  const value =
    subject?.kind === 'form'
      ? subject.sent.written
      : headerValue(exchange.headers, 'Authorization');
  if (value !== undefined) return dialectOfScheme(value);
  return dialectOfQuery(exchange.target.replace(/^[^?]*\??/, ''));
}
