// Prepares package.json and README.md for `npm publish`: everything that names the repository comes from SVC_REPOSITORY.
//
//   SVC_REPOSITORY=https://github.com/OWNER/svc-conformance node .ci/release.mjs v0.1.0 [FOLDER]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [tag = '', folder = '.'] = process.argv.slice(2);
const repository = (process.env.SVC_REPOSITORY ?? '').replace(/\/+$/, '');

/** A link of Markdown to a file of the repository. */
const RELATIVE_LINK = /\]\((?![a-z]+:|#)([^)]+)\)/g;

function fail(why) {
  process.stderr.write(`release: ${why}\n`);
  process.exit(2);
}

const [, owner] = /^https:\/\/[^/]+\/([\w.-]+)\/[\w.-]+$/.exec(repository) ?? [];
if (owner === undefined)
  fail(`SVC_REPOSITORY ${JSON.stringify(repository)} is no https://HOST/OWNER/NAME; set it`);
const manifestPath = join(folder, 'package.json');
const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
if (tag !== `v${manifest.version}`)
  fail(`the tag ${JSON.stringify(tag)} is not v${manifest.version}, the version in package.json`);

/** The address of the site, which the release workflow publishes to GitHub Pages; elsewhere there is none. */
function findSite() {
  const [, user, project] = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+)$/.exec(repository) ?? [];
  return user === undefined ? undefined : `https://${user.toLowerCase()}.github.io/${project}/`;
}

const { name, version, description, license, ...rest } = manifest;
const links = {
  repository: { type: 'git', url: `git+${repository}.git` },
  // Reports link to the pages of the site; a homepage without a slash at its end is no site.
  homepage: findSite() ?? `${repository}#readme`,
  bugs: { url: `${repository}/issues` },
};
const prepared = { name, version, description, license, ...links, ...rest, ...links };
writeFileSync(manifestPath, `${JSON.stringify(prepared, null, 2)}\n`);

// npm shows the page of a version for ever, so its links lead to the files of that version.
const readmePath = join(folder, 'README.md');
const readme = readFileSync(readmePath, 'utf8')
  .replaceAll(RELATIVE_LINK, (_, path) => `](${repository}/blob/${tag}/${path})`)
  .replaceAll('OWNER/', `${owner}/`);
writeFileSync(readmePath, readme);
process.stdout.write(`package.json and README.md name ${repository} and ${tag}\n`);
