/**
 * The signer in a JavaScript module that somebody wrote.
 *
 * @module
 */
import { pathToFileURL } from 'node:url';
import { errorText, operationsOf } from './answer.ts';
import type { Signer } from './signer.ts';

/** A module that gives no signer; the message is one sentence about why. */
export class ModuleError extends Error {
  override readonly name = 'ModuleError';
}

/** Loads the module: its default export where that has an operation, else its named exports. */
export async function signerIn(path: string): Promise<Signer> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = (await import(pathToFileURL(path).href)) as typeof exports;
  } catch (error) {
    throw new ModuleError(loadFault(error));
  }
  const inner = exports['default'];
  const candidates = (isHolder(inner) ? [inner, exports] : [exports]) as readonly Signer[];
  const signer = candidates.find((candidate) => operationsOf(candidate).length > 0);
  if (signer) return signer;
  throw new ModuleError(
    'neither it nor its default export has a function that is named as an operation, such as authorization or urlEncode (adapters/PROTOCOL.md)',
  );
}

function isHolder(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function loadFault(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `Node ${process.version} does not run such files; TypeScript needs Node 22.18 or later, or compile it`;
  }
  return `loading it failed: ${errorText(error)}`;
}
