/**
 * The options that name an adapter or a key pair, and the command that starts the adapter.
 *
 * @module
 */

import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DIALECT_NAMES } from '../engine/dialects.ts';
import { UsageError } from '../engine/errors.ts';
import { listRepositoryAdapters, WIRE_NAMES } from '../respondents/adapter/manifest.ts';
import { IS_BINARY, packagePath } from '../suite/package-root.ts';
import { withFile } from '../suite/user-files.ts';
import { type Option, type Options, type Parsed, textOption } from './verb.ts';

export const DIALECT: Option = {
  value: 'NAME',
  help: 'the names that the deployment uses: svc, ucloud, or your own as SCHEME,HEADER-PREFIX,PARAMETER, such as Svc,X-Svc-,SvcPublicKey',
  candidates: () => DIALECT_NAMES,
};

export const ADAPTER_OPTIONS: Options = {
  adapter: {
    value: 'NAME|FOLDER',
    repeatable: true,
    help: 'the name of an adapter of this repository; or a folder, such as . or ./my-adapter, which contains an adapter and its expectations.yaml. A compiled adapter is built first',
    candidates: () => listRepositoryAdapters().map(({ name }) => name),
  },
  module: {
    value: 'FILE',
    help: 'a JavaScript module instead of -- COMMAND; a TypeScript module works with Node 22.18 or later',
  },
  dialect: { ...DIALECT, default: 'svc' },
  wire: {
    value: 'FORM',
    default: 'json',
    help: 'the format of the messages of -- COMMAND: json or tabs',
    candidates: () => WIRE_NAMES,
  },
};

export const KEYS: Option = {
  value: 'FILE',
  help: 'a file with publicKey and privateKey as YAML, JSON or lines NAME=VALUE (default: the variables SVC_PUBLIC_KEY and SVC_PRIVATE_KEY)',
};

export const MODULE_ADAPTER = 'dist/bin/module-adapter.cjs';

/** The first word of a command line that makes the binary run the program above instead of a verb. */
export const RUN_MODULE = '--run-module';

/** The command after `--`, or the command that runs the module as an adapter; undefined if neither is given. */
export function commandOf(given: Parsed): readonly string[] | undefined {
  const module = textOption(given, 'module');
  if (module === undefined) return given.command;
  if (given.command) {
    throw new UsageError('--module and -- COMMAND cannot be combined; pass one of them');
  }
  const name = `--module ${JSON.stringify(module)}`;
  if (!statSync(module, { throwIfNoEntry: false })?.isFile()) {
    throw new UsageError(`${name} is not a file; name a JavaScript module, such as ./signer.js`);
  }
  const access = (): void => accessSync(module, constants.R_OK);
  withFile(access, `${name} cannot be read`, 'make the file readable');
  const program = IS_BINARY ? RUN_MODULE : packagePath(MODULE_ADAPTER);
  return [process.execPath, program, resolve(module)];
}
