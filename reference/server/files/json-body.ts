/**
 * A small JSON object as the body of a request.
 *
 * @module
 */
import { quoted } from '../quoted.ts';
import type { FileCall } from '../service.ts';
import { badRequest } from './refusal.ts';

/** In bytes. */
const LARGEST = 64 * 1024;

export async function jsonBody({ wire }: FileCall): Promise<Readonly<Record<string, unknown>>> {
  const text = Buffer.from(await wire.body.bytes(LARGEST)).toString('utf8');
  try {
    const members: unknown = JSON.parse(text);
    if (typeof members === 'object' && members !== null) return { ...members };
  } catch {}
  throw badRequest(`the body ${quoted(text)} is no JSON object`);
}
