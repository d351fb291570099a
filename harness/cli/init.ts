/**
 * `init`: creates an adapter project.
 *
 * @module
 */

import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { dialectName, parseDialect } from '../engine/dialects.ts';
import { EXIT, UsageError } from '../engine/errors.ts';
import { entryNamed } from '../engine/select.ts';
import { commandLine } from '../render/commands.ts';
import { shownPath } from '../render/program.ts';
import { findMissingTool, readManifest } from '../respondents/adapter/build.ts';
import { MANIFEST, resolveManifest } from '../respondents/adapter/manifest.ts';
import { DIALECT } from './adapter-options.ts';
import type { Call } from './call.ts';
import { CI_SERVICES, createCiJob } from './init/ci.ts';
import {
  type BeginningKit,
  kitFor,
  kitsWithTemplate,
  type ProjectFiles,
  projectFiles,
  writeProject,
} from './init/project.ts';
import { type Parsed, textOption, textOrDefault, type Verb } from './verb.ts';

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
    FOLDER: {
      help: 'a new or an empty folder, or with --ci that of an adapter (default: the working directory)',
    },
  },
  options: {
    ci: {
      value: 'NAME',
      help: `write a file for this CI service at the root of the repository, with a time limit, JUnit, a summary and the known failures: ${Object.keys(CI_SERVICES).join(', ')}. Without it, a workflow for GitHub goes into FOLDER`,
      candidates: () => Object.keys(CI_SERVICES),
    },
    dialect: { ...DIALECT, default: 'svc', help: `${DIALECT.help}; written to adapter.json` },
  },
  run: initProject,
};

async function initProject(given: Parsed, call: Call): Promise<number> {
  const [language, directory = '.', ...more] = given.positionals;
  if (language === undefined || more.length > 0) {
    throw new UsageError(
      'write svc-conformance init [--dialect NAME] [--ci NAME] LANGUAGE [FOLDER]',
    );
  }
  const dialect = dialectName(parseDialect(textOrDefault(given, 'dialect')));
  const kit = kitFor(language);
  const folder = resolve(directory);
  const place = withSlashes(relative(findRepository(folder), folder)) || '.';
  const ci = ciFile(given, kit, place);
  // With an adapter in the folder, --ci writes only the file of the CI service.
  const isThere = existsSync(join(folder, MANIFEST));
  const files = ci && isThere ? new Map([ci]) : projectFiles(kit, place, dialect, ci);
  writeProject(folder, files);
  const notes = place === '.' || ci ? [] : [MOVE];
  call.print(nextSteps(kit, files, folder, notes));
  return EXIT.asExpected;
}

const MOVE =
  'GitHub reads workflows only at the root of a repository: move .github there, or run init again with --ci github.';

/** The file of `--ci`, with its path relative to the project; undefined without the option. */
function ciFile(
  given: Parsed,
  kit: BeginningKit,
  place: string,
): readonly [path: string, text: string] | undefined {
  const name = textOption(given, 'ci');
  if (name === undefined) return undefined;
  const problem = `--ci ${JSON.stringify(name)} is not a CI service that init knows`;
  const service = entryNamed(CI_SERVICES, name, problem);
  return [withSlashes(relative(place, service.path)), service.write(createCiJob(kit, place))];
}

function withSlashes(path: string): string {
  return path.split(sep).join('/');
}

function nextSteps(
  kit: BeginningKit,
  files: ProjectFiles,
  folder: string,
  more: readonly string[],
): string {
  const manifest = readManifest(join(folder, MANIFEST));
  const lacking = findMissingTool(resolveManifest(folder, false, manifest));
  const notes = [
    ...(lacking === undefined ? [] : [`It cannot run here yet: ${lacking}.`]),
    ...more,
  ];
  return `${kit.language}, in ${folder}:
${[...files.keys()].map((path) => `  ${path}\n`).join('')}
Run it:

  ${commandLine('run', ['--adapter', shownPath(folder)])}

The run fails until authorization() in ${kit.fillIn} calls your SDK.
${kit.tests ? `In that folder, ${kit.tests.command} runs every vector as a test of its own.\n` : ''}${notes.map((note) => `${note}\n`).join('')}`;
}

/** The nearest parent folder that is a git repository, or the folder itself. */
function findRepository(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above;
    if (above === dirname(above)) return folder;
  }
}
