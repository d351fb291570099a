/**
 * Files that every new adapter gets, in any language.
 *
 * @module
 */
import { stringify } from 'yaml';
import { packageVersion } from '../../suite/package-root.ts';
import type { BeginningKit } from './kits.ts';

const NODE = { uses: 'actions/setup-node@v4', with: { 'node-version': 22 } };

/** How `run` takes the project, from the root of its repository. */
function adapterOption(place: string): string {
  return `--adapter ${place === '.' ? place : `./${place}`}`;
}

export function expectations(): string {
  return `# The failures that you know of, so that the run is a yes until something else fails. An entry that
# nothing meets any more makes it a no. One looks like this:
#
#   - vectors: authorization/refusals/** # a vector's id, or a glob over ids
#     status: fail                       # as the run counts it
#     reason: The SDK signs what HTTP cannot carry.
expectations: []
`;
}

export function readme({ language, copies, fillIn }: BeginningKit, place: string): string {
  return `# The conformance adapter of my-sdk (${language})

Written by \`svc-conformance init\`, version ${packageVersion()}.

1. Fill in \`authorization()\` in \`${fillIn}\`: call your SDK, and give its name.
2. Run it, from the root of the repository:

   \`\`\`sh
   npx svc-conformance run ${adapterOption(place)}
   \`\`\`

3. Add the next operation: one line and one function in \`${fillIn}\`. What each is given is in \`PROTOCOL.md\`.

${copies.map((name) => `\`${name}\``).join(', ')} is the loop and stays as it is. \`adapter.json\` says how the adapter is started,
\`expectations.yaml\` which failures are known. CI services read their files at the root of a repository only.
`;
}

/** @param place the project's path from the root of its repository */
export function workflow({ ci }: BeginningKit, place: string): string {
  const run = `npx --yes svc-conformance@${packageVersion()} run ${adapterOption(place)}`;
  const steps = [{ uses: 'actions/checkout@v4' }, NODE, ...ci, { run }];
  return `# Install your SDK in a step before the last one. A newer version of svc-conformance may hold new
# vectors and so newly fail you: move on purpose.
${stringify({
  name: 'conformance',
  on: ['push', 'pull_request'],
  permissions: { contents: 'read' },
  jobs: { conformance: { 'runs-on': 'ubuntu-latest', steps } },
})}`;
}
