import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ViteUserConfig } from 'vitest/config';
import { SEED } from './test/seed.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));

function digestOf(name: string): ViteUserConfig {
  const path = fileURLToPath(new URL(`reference/signing/digest/${name}.ts`, import.meta.url));
  return { resolve: { alias: { '#digest': path } } };
}

/** No test is judged by its time: whatever takes longer than this hangs, on the busiest machine; in milliseconds. */
const HANG_GUARD = { testTimeout: 600_000, hookTimeout: 600_000 };

/** What is built runs as Node runs it, loaded and compiled once for all files of a worker. */
const AS_BUILT = {
  server: { deps: { external: [/\/dist\//] } },
  isolate: false,
  // The search for causes creates many short-lived objects; with room for them, it takes 7 % less processor time.
  execArgv: ['--max-semi-space-size=64'],
};

/** Sources that a test imports are loaded as built, too: they need no transformation, and no module is loaded twice. */
const BUILT_SOURCES: ViteUserConfig = {
  plugins: [
    {
      name: 'built-sources',
      enforce: 'pre',
      resolveId(source, importer) {
        if (!source.startsWith('.') || importer === undefined) return undefined;
        const path = relative(ROOT, resolve(dirname(importer), source));
        const isSource = /^(?:bench|harness|reference)[/\\].*\.ts$/.test(path);
        return isSource ? join(ROOT, 'dist', path.replace(/\.ts$/, '.js')) : undefined;
      },
    },
  ],
};

/** What is drawn is the same every time. */
const PROPERTIES = { setupFiles: ['test/seeded-properties.ts'] };

console.log(`seed of all tests: ${SEED}; SVC_TEST_SEED=NUMBER draws others`);

/** What the reference promises is tested on each digest, as Node users and as browser users get it. */
const digests = ['node', 'portable'].map((digest) => ({
  ...digestOf(digest),
  // One world for all files: loading fast-check anew for each takes longer than the tests.
  test: {
    name: digest,
    include: ['test/signing/**/*.test.ts'],
    isolate: false,
    ...PROPERTIES,
    ...HANG_GUARD,
  },
}));

/** Programs are tested as people get them: compiled; where the process is the point, as a process. */
function built(name: string, ending: string, exclude: string[] = []): ViteUserConfig {
  const folders = ['harness', 'golden', 'server', 'site', 'vectors'];
  return {
    ...BUILT_SOURCES,
    test: {
      name,
      ...AS_BUILT,
      include: folders.map((folder) => `test/${folder}/**/*.${ending}`),
      exclude,
      globalSetup: ['test/current-build.ts'],
      ...PROPERTIES,
      ...HANG_GUARD,
    },
  };
}

const config: ViteUserConfig = {
  test: {
    globalSetup: ['test/bundled-programs.ts'],
    // Tests wait for processes of their own, so two files at a time keep two cores busy where one does not.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      ...digests,
      built('built', 'test.ts', ['test/server/clients/**', '**/*.long.test.ts']),
      // Takes minutes, and most of it other programs than Node: no part of `npm test`.
      built('long', 'long.test.ts'),
      // Takes published SDKs, and so a network once: no part of `npm test`.
      {
        ...digestOf('node'),
        test: { name: 'clients', include: ['test/server/clients/*.test.ts'], ...HANG_GUARD },
      },
      // Takes Chromium: no part of `npm test`.
      {
        ...digestOf('node'),
        test: {
          name: 'browser',
          server: AS_BUILT.server,
          include: ['test/browser/*.test.ts'],
          ...HANG_GUARD,
        },
      },
    ],
  },
};

export default config;
