/**
 * The languages of `init`: each kit with an `init.json`.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../engine/errors.ts';
import { findNearest } from '../../engine/select.ts';
import { packagePath } from '../../suite/package-root.ts';

/** `init.json` of a kit: what a new project gets besides the kit's `template/`. */
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
  /** Packages of Debian that hold the toolchain, for the other CI services. */
  readonly debian: readonly string[];
  /** Steps of a GitHub workflow that install the toolchain. */
  readonly ci: readonly object[];
}

export interface BeginningKit extends Beginning {
  /** The kit's name, which is its folder's. */
  readonly name: string;
  readonly folder: string;
}

/** Every kit with an `init.json`, by name. */
export function kitsWithTemplate(): readonly BeginningKit[] {
  const adapters = packagePath('adapters');
  return readdirSync(adapters)
    .sort()
    .filter((name) => existsSync(join(adapters, name, 'init.json')))
    .map((name) => {
      const folder = join(adapters, name);
      const beginning = JSON.parse(readFileSync(join(folder, 'init.json'), 'utf8')) as Beginning;
      return { ...beginning, name, folder };
    });
}

/** The kit of a language. @throws UsageError that names the nearest one, and all */
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
