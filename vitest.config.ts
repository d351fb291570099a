import { fileURLToPath } from 'node:url';
import type { ViteUserConfig } from 'vitest/config';

function digestOf(name: string): ViteUserConfig {
  const path = fileURLToPath(new URL(`reference/signing/digest/${name}.ts`, import.meta.url));
  return { resolve: { alias: { '#digest': path } } };
}

/** What the reference promises is tested on each digest, as Node users and as browser users get it. */
const digests = ['node', 'portable'].map((digest) => ({
  ...digestOf(digest),
  // One world for all files: loading fast-check anew for each takes longer than the tests.
  test: { name: digest, include: ['test/signing/**/*.test.ts'], isolate: false },
}));

const config: ViteUserConfig = {
  test: {
    projects: [
      ...digests,
      // The harness is tested as people get it: compiled, as a process.
      { test: { name: 'harness', include: ['test/harness/**/*.test.ts'], testTimeout: 60_000 } },
      {
        ...digestOf('node'),
        test: {
          name: 'server',
          include: ['test/server/**/*.test.ts'],
          exclude: ['test/server/clients/**'],
          testTimeout: 60_000,
        },
      },
      // Takes published SDKs, and so a network once: no part of `npm test`.
      {
        ...digestOf('node'),
        test: { name: 'clients', include: ['test/server/clients/*.test.ts'], testTimeout: 60_000 },
      },
      // Takes Chromium: no part of `npm test`.
      {
        ...digestOf('node'),
        test: { name: 'browser', include: ['test/browser/*.test.ts'], testTimeout: 60_000 },
      },
      { test: { name: 'vectors', include: ['test/vectors/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
};

export default config;
