/**
 * The options that name an adapter.
 *
 * @module
 */

import { DIALECT_NAMES } from '../engine/dialects.ts';
import { listRepositoryAdapters, WIRE_NAMES } from '../respondents/adapter/manifest.ts';
import type { Option, Options } from './verb.ts';

export const DIALECT: Option = {
  type: 'text',
  value: 'NAME',
  help: 'the names that the scheme uses: svc, ucloud, or your own as SCHEME,HEADER-PREFIX,PARAMETER, such as Svc,X-Svc-,SvcPublicKey',
  candidates: () => DIALECT_NAMES,
};

export const MODULE: Option = {
  type: 'text',
  value: 'FILE',
  help: 'a JavaScript module instead of -- COMMAND; a TypeScript module works with Node 22.18 or later',
};

export const WIRE: Option = {
  type: 'text',
  value: 'FORM',
  default: 'json',
  help: 'the format of the messages of -- COMMAND: json or tabs',
  candidates: () => WIRE_NAMES,
};

/** The options that name the adapter. */
export const ADAPTER_OPTIONS: Options = {
  adapter: {
    type: 'text',
    value: 'NAME',
    repeatable: true,
    help: 'the name of an adapter of the repository; or a folder, such as . or ./my-adapter, which contains an adapter and its expectations.yaml. A compiled adapter is built first',
    candidates: () => listRepositoryAdapters().map(({ name }) => name),
  },
  module: MODULE,
  dialect: { ...DIALECT, default: 'svc' },
  wire: WIRE,
};
