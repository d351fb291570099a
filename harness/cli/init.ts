/**
 * `init`: an adapter of one's own, begun.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { lackingReason } from '../adapter/building.ts';
import { adapterOf, MANIFEST, type Manifest } from '../adapter/manifest.ts';
import { dialectName, dialectNamed } from '../dialects.ts';
import { EXIT, UsageError } from '../errors.ts';
import { type BeginningKit, kitFor } from '../init/kits.ts';
import { type ProjectFiles, projectFiles, writeProject } from '../init/project.ts';
import { print } from '../output.ts';
import { shellWord } from '../report/shell-word.ts';
import { packagePath } from '../suite/package-root.ts';
import { parsed, refuseCommand, textOption, type Verb } from './verb.ts';

export const initVerb: Verb = async (parameters) => {
  const given = parsed(parameters, { dialect: { type: 'string' } });
  refuseCommand(given);
  const [language, directory = '.', ...more] = given.positionals;
  if (language === undefined || more.length > 0) {
    throw new UsageError('write svc-conformance init [--dialect NAME] LANGUAGE [FOLDER]');
  }
  const dialect = dialectName(dialectNamed(textOption(given, 'dialect') ?? 'svc'));
  const kit = kitFor(language);
  const folder = resolve(directory);
  const place = relative(repositoryOf(folder), folder).split(sep).join('/') || '.';
  const files = projectFiles(kit, place, dialect);
  writeProject(folder, files);
  print(said(kit, files, folder, place));
  return EXIT.asExpected;
};

function said(kit: BeginningKit, files: ProjectFiles, folder: string, place: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
  const lacking = lackingReason(adapterOf(folder, false, manifest));
  const notes = [
    ...(lacking === undefined ? [] : [`It cannot run here yet: ${lacking}.`]),
    ...(place === '.'
      ? []
      : ['GitHub reads workflows at the root of a repository only: move .github there.']),
  ];
  return `${kit.language}, in ${folder}:
${[...files.keys()].map((path) => `  ${path}\n`).join('')}
Run it:

  ${programWords()} run --adapter ${shellWord(shownPath(folder))}

It is a no until authorization() in ${kit.fillIn} calls your SDK.
${notes.map((note) => `${note}\n`).join('')}`;
}

/** The nearest folder above that git keeps; the folder itself, where there is none. */
function repositoryOf(folder: string): string {
  for (let above = folder; ; above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above;
    if (above === dirname(above)) return folder;
  }
}

/** The command line that this program is run with: from a clone, npx would not find it. */
function programWords(): string {
  const root = packagePath('.');
  if (root.split(sep).includes('node_modules')) return 'npx svc-conformance';
  return `node ${shellWord(shownPath(packagePath('dist/bin/svc-conformance.cjs')).replace(/^\.[/\\]/, ''))}`;
}

/** A path from here, written so that it is no name; whole where it leads upwards. */
function shownPath(path: string): string {
  const way = relative('', path);
  if (way === '') return '.';
  return way.startsWith('..') || isAbsolute(way) ? path : `.${sep}${way}`;
}
