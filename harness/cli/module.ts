/**
 * `--module FILE`: a JavaScript module in place of a command.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../engine/errors.ts';
import { packagePath } from '../suite/package-root.ts';
import { type Parsed, textOption } from './verb.ts';

const ADAPTER = 'dist/bin/module-adapter.cjs';

/** The command after `--`, or the command that runs the module as an adapter; undefined if neither is given. */
export function commandOf(given: Parsed): readonly string[] | undefined {
  const module = textOption(given, 'module');
  if (module === undefined) return given.command;
  if (given.command) {
    throw new UsageError('--module and -- COMMAND each name an implementation; give one of them');
  }
  if (!statSync(module, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(
      `--module ${JSON.stringify(module)} is no file; name a JavaScript module, such as ./signer.js`,
    );
  }
  return [process.execPath, packagePath(ADAPTER), resolve(module)];
}
