/**
 * `init`: creates an adapter project.
 *
 * @module
 */

import { DIALECT } from './adapter-options.ts';
import { kitsWithTemplate } from './init/kits.ts';
import type { Verb } from './verb.ts';

export const initVerb: Verb = {
  usage: ['init [--dialect NAME] LANGUAGE [FOLDER]'],
  example: 'init python my-adapter',
  exitCodes: {
    2: 'usage: an unknown language, or a file that exists already',
  },
  summary:
    'Creates an adapter project: the loop is done, one function is left to fill in, and a workflow for GitHub is included. It overwrites nothing. Then: run --adapter FOLDER.',
  operands: {
    LANGUAGE: {
      help: 'the language of your SDK; an unknown one prints the list',
      candidates: () => kitsWithTemplate().map(({ name }) => name),
    },
    FOLDER: { help: 'a new or an empty folder (default: the working directory)' },
  },
  options: {
    dialect: { ...DIALECT, default: 'svc', help: `${DIALECT.help}; written to adapter.json` },
  },
  run: async (given, call) => (await import('./init-action.ts')).initProject(given, call),
};
