/**
 * `init`: creates an adapter project.
 *
 * @module
 */

import { DIALECT } from './adapter-options.ts';
import { CI_SERVICES } from './init/ci.ts';
import { kitsWithTemplate } from './init/kits.ts';
import type { Verb } from './verb.ts';

export const initVerb: Verb = {
  usage: ['init [--dialect NAME] [--ci NAME] LANGUAGE [FOLDER]'],
  example: 'init python my-adapter --ci gitlab',
  exitCodes: {
    2: 'usage: an unknown language, or a file that already exists',
  },
  summary:
    'Creates an adapter project: it contains the loop, one function for you to fill in, and a workflow for GitHub. It overwrites nothing. Then: run --adapter FOLDER.',
  operands: {
    LANGUAGE: {
      help: 'the language of your SDK; an unknown one prints the list',
      candidates: () => kitsWithTemplate().map(({ name }) => name),
    },
    FOLDER: { help: 'a new or an empty folder (default: the working directory)' },
  },
  options: {
    ci: {
      type: 'text',
      value: 'NAME',
      help: `write a file for this CI service at the root of the repository, with a time limit, JUnit, a summary and the known failures: ${Object.keys(CI_SERVICES).join(', ')}. Without it, a workflow for GitHub goes into FOLDER`,
      candidates: () => Object.keys(CI_SERVICES),
    },
    dialect: { ...DIALECT, default: 'svc', help: `${DIALECT.help}; written to adapter.json` },
  },
  run: async (given, call) => (await import('./init-action.ts')).initProject(given, call),
};
