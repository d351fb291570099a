/**
 * The languages of `init`, each a kit with an `init.json`; and the files of a new project: those of its kit, and those that every adapter gets.
 *
 * @module
 */

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { findNearest } from '../../../reference/nearest.ts';
import { UsageError } from '../../engine/errors.ts';
import { shellWord } from '../../render/commands.ts';
import { MANIFEST } from '../../respondents/adapter/manifest.ts';
import { readPackageData } from '../../suite/package-data.ts';
import {
  isPackageFile,
  listPackageFolder,
  packagePath,
  packageVersion,
  readPackageFile,
} from '../../suite/package-root.ts';
import type { Beginning } from '../../suite/schema/shapes.ts';
import { makeFolder, withFile } from '../../suite/user-files.ts';

export interface BeginningKit extends Beginning {
  /** The name of the kit and of its folder. */
  readonly name: string;
  readonly folder: string;
}

/** Every kit with an `init.json`, by name. */
export function kitsWithTemplate(): readonly BeginningKit[] {
  const adapters = packagePath('adapters');
  return listPackageFolder(adapters)
    .filter((name) => isPackageFile(join(adapters, name, 'init.json')))
    .map((name) => {
      const folder = join(adapters, name);
      const beginning = readPackageData('kit', join(folder, 'init.json'));
      return { ...beginning, name, folder };
    });
}

/** The kit of a language. @throws UsageError that names the nearest kit and lists all */
export function kitFor(language: string): BeginningKit {
  const kits = kitsWithTemplate();
  const asked = language.toLowerCase();
  const kit = kits.find(({ name, aliases = [] }) => [name, ...aliases].includes(asked));
  if (kit) return kit;
  const all = kits.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const near = findNearest(asked, all);
  const names = kits.map(({ name }) => name).join(', ');
  throw new UsageError(
    `there is no kit for ${JSON.stringify(language)}; ${near === undefined ? '' : `did you mean ${near}? `}there are ${names}`,
  );
}

/** The text of each file by its path within the project, with slashes; in the order in which to read them. */
export type ProjectFiles = ReadonlyMap<string, string>;

const TEMPLATE = 'template';

/**
 * @param place the project's path from the root of its repository, with slashes; `.` for the root
 * @param dialect the dialect that `adapter.json` names
 * @param ci the file for a CI service, with its path relative to the project
 */
export function projectFiles(
  kit: BeginningKit,
  place: string,
  dialect: string,
  ci: readonly [path: string, text: string] = [
    '.github/workflows/conformance.yml',
    workflow(kit, place),
  ],
): ProjectFiles {
  const text = (path: string): string => readPackageFile(join(kit.folder, path)).toString('utf8');
  const templates = filesIn(join(kit.folder, TEMPLATE)).filter((path) => path !== kit.fillIn);
  return new Map([
    [kit.fillIn, text(`${TEMPLATE}/${kit.fillIn}`)],
    ...kit.copies.map((path) => [path, text(path)] as const),
    ...templates.map((path) => {
      const written = text(`${TEMPLATE}/${path}`);
      return [path, path === MANIFEST ? inDialect(written, dialect) : pinned(written)] as const;
    }),
    ['expectations.yaml', EXPECTATIONS],
    ['PROTOCOL.md', readPackageFile(packagePath('adapters/PROTOCOL.md')).toString('utf8')],
    ['README.md', readme(kit, place)],
    ...(kit.ignored.length > 0 ? [['.gitignore', `${kit.ignored.join('\n')}\n`] as const] : []),
    ci,
  ]);
}

/** A file with this version of the package in its command. */
function pinned(text: string): string {
  return text.replaceAll('svc-conformance@VERSION', `svc-conformance@${packageVersion()}`);
}

/** The manifest with another dialect and the same layout. */
function inDialect(manifest: string, dialect: string): string {
  return manifest.replace(/("dialect":\s*)"[^"]*"/, (_, name: string) => `${name}"${dialect}"`);
}

/** The paths of all files below a folder, with slashes. */
function filesIn(folder: string): readonly string[] {
  const names = listPackageFolder(folder).flatMap((name) =>
    isPackageFile(join(folder, name))
      ? [name]
      : filesIn(join(folder, name)).map((inside) => `${name}/${inside}`),
  );
  return names.sort();
}

/** Writes all files, or none if one exists already. */
export function writeProject(folder: string, files: ProjectFiles): void {
  const places = [...files].map(
    ([path, text]) => [join(folder, ...path.split('/')), path, text] as const,
  );
  const there = places.find(([place]) => existsSync(place));
  if (there) {
    throw new UsageError(
      `${there[1]} already exists in ${folder}, and init overwrites nothing; name an empty or a new folder`,
    );
  }
  const write = (): void => {
    for (const [place, , text] of places) {
      makeFolder(dirname(place));
      writeFileSync(place, text, { flag: 'wx' });
    }
  };
  withFile(write, `the adapter cannot be written into ${folder}`, 'name another folder');
}

/** The time limit of the whole job on a CI service. */
export const MINUTES = 15;

/** The option of `run` that names the project, from the root of its repository. */
function adapterOption(place: string): string {
  return `--adapter ${shellWord(place === '.' ? place : `./${place}`)}`;
}

const EXPECTATIONS = `# The known failures. A run passes as long as it has only these. It fails if something else fails, or if an
# entry no longer matches a failure. An entry looks like this:
#
#   - vectors: authorization/refusals/** # the id of a vector, or a glob over ids
#     status: fail                       # the verdict that the run reports
#     reason: The SDK signs what HTTP cannot carry.
expectations: []
`;

function readme({ language, copies, fillIn, tests }: BeginningKit, place: string): string {
  return `# The conformance adapter of my-sdk (${language})

Written by \`svc-conformance init\`, version ${packageVersion()}.

1. Fill in \`authorization()\` in \`${fillIn}\`: call your SDK, and give its name.
2. Run it, from the root of the repository:

   \`\`\`sh
   npx svc-conformance run ${adapterOption(place)}
   \`\`\`

3. Add the next operation: one line and one function in \`${fillIn}\`. \`PROTOCOL.md\` describes the input of each operation.
${tests ? testsParagraph(tests) : ''}
${copies.map((name) => `\`${name}\``).join(', ')} is the loop; do not change it. \`adapter.json\` has the command that starts the adapter,
\`expectations.yaml\` has the known failures. CI services read their files only at the root of a repository.
`;
}

function testsParagraph({ file, command }: NonNullable<BeginningKit['tests']>): string {
  return `
In this folder, \`${command}\` runs every vector as a test of its own and names those that are skipped in one line
(\`${file}\`). It needs \`npx\`; the variable \`SVC_CONFORMANCE\` names another svc-conformance program.
`;
}

/** @param place the project's path from the root of its repository */
export function workflow(kit: BeginningKit, place: string): string {
  const run = `npx --yes svc-conformance@${packageVersion()} run ${adapterOption(place)}`;
  return `# Install your SDK in a step before the last one. Upgrade svc-conformance on purpose: a newer version may
# have new vectors that your SDK fails.
${stringify(githubWorkflow(kit, { run }))}`;
}

/** A workflow for GitHub, with steps that follow the installation of Node and of the toolchain. */
export function githubWorkflow({ ci }: BeginningKit, ...own: readonly object[]): object {
  const node = { uses: 'actions/setup-node@v4', with: { 'node-version': 22 } };
  const steps = [{ uses: 'actions/checkout@v4' }, node, ...ci, ...own];
  return {
    name: 'conformance',
    on: ['push', 'pull_request'],
    permissions: { contents: 'read' },
    jobs: { conformance: { 'runs-on': 'ubuntu-latest', 'timeout-minutes': MINUTES, steps } },
  };
}
