/**
 * The options that name an adapter.
 *
 * @module
 */

import { DIALECT_NAMES } from '../engine/dialects.ts';
import { listRepositoryAdapters } from '../respondents/adapter/manifest.ts';
import { WIRE_NAMES } from '../respondents/adapter/wire.ts';
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
  help: 'a JavaScript module in place of -- COMMAND; TypeScript if your Node runs it (22.18 or later)',
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
    help: 'only this adapter of the repository. A folder, such as . or ./my-adapter: the adapter in it, with its expectations.yaml; a compiled language is built first',
    candidates: () => listRepositoryAdapters().map(({ name }) => name),
  },
  module: MODULE,
  dialect: { ...DIALECT, default: 'svc' },
  wire: WIRE,
};
