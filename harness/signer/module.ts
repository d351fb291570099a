/**
 * The signer in a JavaScript module that somebody wrote.
 *
 * @module
 */
import { pathToFileURL } from 'node:url';
import { OPERATIONS } from '../suite/operations.ts';
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
  const candidates = [...(isHolder(inner) ? [inner] : []), exports].map(inKebabCase);
  const signer = candidates.find((candidate) => operationsOf(candidate).length > 0);
  if (signer) return signer;
  throw new ModuleError(
    'it exports no function that is named as an operation, such as authorization or urlEncode (adapters/PROTOCOL.md)',
  );
}

function isHolder(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** `urlEncode` stands for `url-encode`, which is no name for an export that people like to write. */
function inKebabCase(holder: Readonly<Record<string, unknown>>): Signer {
  const functions = Object.keys(OPERATIONS).flatMap((name) => {
    const camelCase = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const found = [name, camelCase].find((spelling) => typeof holder[spelling] === 'function');
    if (found === undefined) return [];
    // As a method of its object, which it may need.
    return [[name, (holder[found] as (...given: unknown[]) => unknown).bind(holder)]];
  });
  return Object.fromEntries(functions) as Signer;
}

function loadFault(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return `Node ${process.version} does not run such files; TypeScript needs Node 22.18 or later, or compile it`;
  }
  return `loading it failed: ${errorText(error)}`;
}
