/**
 * The languages of `init`: each kit with an `init.json`.
 *
 * @module
 */
import { join } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { findNearest } from '../../engine/select.ts';
import {
  isPackageFile,
  listPackageFolder,
  packagePath,
  readPackageFile,
} from '../../suite/package-root.ts';

/** `init.json` of a kit: the files of a new project besides those of `template/`. */
export interface Beginning {
  /** The usual spelling of the language. */
  readonly language: string;
  /** Other names that `init` accepts. */
  readonly aliases?: readonly string[];
  /** Files of the kit itself: the loop. */
  readonly copies: readonly string[];
  /** The file of the template with the function that is left to write. */
  readonly fillIn: string;
  /** Lines of `.gitignore`. */
  readonly ignored: readonly string[];
  /** Debian packages of the toolchain, for CI services other than GitHub. */
  readonly debian: readonly string[];
  /** What makes each vector a test of the language's test framework. */
  readonly tests?: { readonly file: string; readonly command: string };
  /** Steps of a GitHub workflow that install the toolchain. */
  readonly ci: readonly object[];
}

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
      const beginning = JSON.parse(
        readPackageFile(join(folder, 'init.json')).toString('utf8'),
      ) as Beginning;
      return { ...beginning, name, folder };
    });
}

/** The kit of a language. @throws UsageError that names the nearest kit and lists all */
export function kitFor(language: string): BeginningKit {
  const kits = kitsWithTemplate();
  const asked = language.toLowerCase();
  const kit = kits.find(({ name, aliases = [] }) => [name, ...aliases].includes(asked));
  if (kit) return kit;
  const near = findNearest(
    asked,
    kits.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );
  const names = kits.map(({ name }) => name).join(', ');
  throw new UsageError(
    `there is no kit for ${JSON.stringify(language)}; ${near === undefined ? '' : `did you mean ${near}? `}there are ${names}`,
  );
}
