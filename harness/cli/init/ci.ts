/**
 * The files of `init --ci`: a job with a time limit, a JUnit report, a summary and the known failures.
 *
 * @module
 */
import { stringify } from 'yaml';
import { shellWord } from '../../render/commands.ts';
import { packageVersion, repositoryName } from '../../suite/package-root.ts';
import { type BeginningKit, githubWorkflow, MINUTES } from './project.ts';

interface CiService {
  /** The path from which the service reads the file, relative to the root of the repository. */
  readonly path: string;
  readonly write: (job: CiJob) => string;
}

/** The job that every service runs, with paths relative to the root of the repository. */
interface CiJob {
  readonly kit: BeginningKit;
  readonly adapter: string;
  readonly expectations: string;
  /** The commands that install the toolchain on Debian, as root; empty if the image has it. */
  readonly setup: readonly string[];
  readonly run: string;
}

/** The time limit of the run, in seconds; shorter, so that the report is written before the service ends the job. */
const RUN_SECONDS = 600;

/** Debian with Node; Debian has every other toolchain. */
const IMAGE = 'node:22-trixie';
const JUNIT = 'conformance.xml';
const SUMMARY = 'conformance.md';
const NAME = 'conformance';

/** Lets the agent, which is not root, delete what the container of its job wrote as root. */
const RELEASE_FILES = 'chmod -R a+rwX .';

const COMMENT = `# Install your SDK before the last command. Upgrade svc-conformance on purpose: a newer version may have new
# vectors that your SDK fails. Every failure that expectations.yaml does not list fails the job.
`;

/** The services by the names that `--ci` takes. */
export const CI_SERVICES: Readonly<Record<string, CiService>> = {
  github: { path: '.github/workflows/conformance.yml', write: writeGithub },
  gitlab: { path: '.gitlab-ci.yml', write: writeGitlab },
  jenkins: { path: 'Jenkinsfile', write: writeJenkins },
  azure: { path: 'azure-pipelines.yml', write: writeAzure },
  circleci: { path: '.circleci/config.yml', write: writeCircleci },
  buildkite: { path: '.buildkite/pipeline.yml', write: writeBuildkite },
  forgejo: { path: '.forgejo/workflows/conformance.yml', write: writeForgejo },
};

/** @param place the project's path from the root of its repository, with slashes; `.` for the root */
export function createCiJob(kit: BeginningKit, place: string): CiJob {
  const adapter = place === '.' ? '.' : `./${place}`;
  const expectations = `${adapter}/expectations.yaml`;
  const packages = kit.debian.join(' ');
  return {
    kit,
    adapter,
    expectations,
    setup:
      packages === ''
        ? []
        : ['apt-get update', `apt-get install --yes --no-install-recommends ${packages}`],
    run: [
      `npx --yes svc-conformance@${packageVersion()} run --adapter ${shellWord(adapter)}`,
      `--expectations ${shellWord(expectations)} --time-limit ${RUN_SECONDS}`,
      `--reporter terminal --reporter junit=${JUNIT} --reporter markdown=${SUMMARY}`,
    ].join(' '),
  };
}

function writeYaml(value: object): string {
  return `${COMMENT}${stringify(value, { lineWidth: 0 })}`;
}

/** With the action, which installs the package and shows the summary. */
function writeGithub({ kit, adapter, expectations }: CiJob): string {
  const version = packageVersion();
  const judge = {
    uses: `${repositoryName()}@v${version}`,
    with: {
      adapter,
      expectations,
      junit: JUNIT,
      version,
      options: `--time-limit\n${RUN_SECONDS}\n`,
    },
  };
  const upload = {
    if: 'always()',
    uses: 'actions/upload-artifact@v4',
    with: { name: NAME, path: JUNIT },
  };
  return writeYaml(githubWorkflow(kit, judge, upload));
}

function writeGitlab({ setup, run }: CiJob): string {
  const artifacts = {
    when: 'always',
    expose_as: 'conformance summary',
    paths: [SUMMARY],
    reports: { junit: JUNIT },
  };
  const job = { image: IMAGE, timeout: `${MINUTES} minutes`, script: [...setup, run], artifacts };
  return writeYaml({ [NAME]: job });
}

function writeJenkins({ setup, run }: CiJob): string {
  const steps = [...setup, run].map(
    (line) => `        sh '${line.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  );
  return `${COMMENT.replaceAll(/^#/gm, '//')}pipeline {
  agent {
    docker {
      image '${IMAGE}'
      args '--user root'
    }
  }
  options {
    timeout(time: ${MINUTES}, unit: 'MINUTES')
  }
  stages {
    stage('${NAME}') {
      steps {
${steps.join('\n')}
      }
    }
  }
  post {
    always {
      sh '${RELEASE_FILES}'
      junit '${JUNIT}'
      archiveArtifacts artifacts: '${SUMMARY}', allowEmptyArchive: true
    }
  }
}
`;
}

function writeAzure({ setup, run }: CiJob): string {
  const summary = `##vso[task.uploadsummary]$(System.DefaultWorkingDirectory)/${SUMMARY}`;
  const steps = [
    { task: 'NodeTool@0', inputs: { versionSpec: '22.x' } },
    ...setup.map((line) => ({ script: `sudo ${line}` })),
    { script: run, displayName: NAME },
    {
      task: 'PublishTestResults@2',
      condition: 'always()',
      inputs: { testResultsFormat: 'JUnit', testResultsFiles: JUNIT },
    },
    { script: `echo "${summary}"`, condition: 'always()', displayName: 'summary' },
  ];
  return writeYaml({
    trigger: ['*'],
    pool: { vmImage: 'ubuntu-latest' },
    jobs: [{ job: NAME, timeoutInMinutes: MINUTES, steps }],
  });
}

/** CircleCI has no time limit for a job: `timeout` ends the step. */
function writeCircleci({ setup, run }: CiJob): string {
  const folder = 'test-results';
  const job = {
    docker: [{ image: IMAGE }],
    steps: [
      'checkout',
      ...setup.map((command) => ({ run: { command } })),
      {
        run: {
          name: NAME,
          command: `mkdir -p ${folder} && timeout ${MINUTES}m ${run.replace(`junit=${JUNIT}`, `junit=${folder}/${JUNIT}`)}`,
          no_output_timeout: `${MINUTES}m`,
        },
      },
      { store_test_results: { path: folder } },
      { store_artifacts: { path: SUMMARY } },
    ],
  };
  return writeYaml({
    version: 2.1,
    jobs: { [NAME]: job },
    workflows: { [NAME]: { jobs: [NAME] } },
  });
}

/** The plugin for JUnit replaces the command of its step, so the summary has a step of its own. */
function writeBuildkite({ setup, run }: CiJob): string {
  const judge = {
    label: NAME,
    timeout_in_minutes: MINUTES,
    command: `trap '${RELEASE_FILES}' EXIT; ${[...setup, run].join(' && ')}`,
    plugins: [{ 'docker#v5.12.0': { image: IMAGE } }],
    artifact_paths: [JUNIT, SUMMARY],
  };
  const summary = {
    label: 'summary',
    timeout_in_minutes: MINUTES,
    command: `buildkite-agent artifact download ${SUMMARY} . && buildkite-agent annotate --context ${NAME} < ${SUMMARY}`,
  };
  const failures = {
    label: 'failures',
    timeout_in_minutes: MINUTES,
    plugins: [{ 'junit-annotate#v2.6.0': { artifacts: JUNIT } }],
  };
  const wait = { wait: null, continue_on_failure: true };
  return writeYaml({ steps: [judge, wait, summary, failures] });
}

/** Forgejo does not show the summary, so the job uploads it as an artifact. */
function writeForgejo({ setup, run }: CiJob): string {
  const steps = [
    { uses: 'actions/checkout@v4' },
    ...setup.map((line) => ({ run: line })),
    { run },
    {
      if: 'always()',
      uses: 'forgejo/upload-artifact@v4',
      with: { name: NAME, path: `${JUNIT}\n${SUMMARY}\n` },
    },
  ];
  return writeYaml({
    name: NAME,
    on: ['push', 'pull_request'],
    jobs: {
      [NAME]: {
        'runs-on': 'docker',
        container: { image: IMAGE },
        'timeout-minutes': MINUTES,
        steps,
      },
    },
  });
}
