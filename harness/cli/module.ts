/**
 * `--module FILE`: a JavaScript module instead of a command.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../engine/errors.ts';
import { IS_BINARY, packagePath } from '../suite/package-root.ts';
import { type Parsed, textOption } from './verb.ts';

export const MODULE_ADAPTER = 'dist/bin/module-adapter.cjs';

/** The first word after which the binary runs the program above in place of a verb. */
export const RUN_MODULE = '--run-module';

/** The command after `--`, or the command that runs the module as an adapter; undefined if neither is given. */
export function commandOf(given: Parsed): readonly string[] | undefined {
  const module = textOption(given, 'module');
  if (module === undefined) return given.command;
  if (given.command) {
    throw new UsageError('--module and -- COMMAND cannot be combined; pass one of them');
  }
  if (!statSync(module, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(
      `--module ${JSON.stringify(module)} is not a file; name a JavaScript module, such as ./signer.js`,
    );
  }
  const program = IS_BINARY ? RUN_MODULE : packagePath(MODULE_ADAPTER);
  return [process.execPath, program, resolve(module)];
}
