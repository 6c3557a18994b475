import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { noteOf } from './corpus.mjs';

/** Secrets of the connectors, for the environment of a service. */
export const SECRETS = {
  MEM_CONNECTOR_SLACK_SECRET: 'bench-slack-secret',
  MEM_CONNECTOR_GITHUB_SECRET: 'bench-github-secret',
};

/** In what is below, `{n}` is filled in by the load generator: each delivery is new, and about a new thing. */
const BODIES = 64;
const TEXT_SEED = 2 ** 30;
const BLOCKS = 2;

/** A message in one of some channels, in Slack's form: about 2 KB. */
export function slackMessage(i, { run, second }) {
  const text = `${noteOf(TEXT_SEED + i)} PAY-${1 + i}`;
  const elements = [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }];
  return {
    token: 'bench',
    team_id: 'T0BENCH',
    context_team_id: 'T0BENCH',
    api_app_id: 'A0BENCH',
    event: {
      type: 'message',
      user: `U0BENCH${i % 20}`,
      ts: `${second}.{n}`,
      client_msg_id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      text,
      team: 'T0BENCH',
      blocks: Array.from({ length: BLOCKS }, (_, n) => ({ type: 'rich_text', block_id: `b${n}`, elements })),
      channel: `C0BENCH${i % 40}`,
      event_ts: `${second}.{n}`,
      channel_type: 'channel',
    },
    type: 'event_callback',
    event_id: `Ev${run}-{n}`,
    event_time: second,
    authorizations: [{ enterprise_id: null, team_id: 'T0BENCH', user_id: 'U0BENCH', is_bot: false }],
    is_ext_shared_channel: false,
    event_context: 'bench',
  };
}

/** Requests of Slack, all signed at this time. */
export function slackRequests(run) {
  const second = Math.floor(Date.now() / 1000);
  const headers = { 'x-slack-request-timestamp': String(second), 'user-agent': 'Slackbot 1.0' };
  const sign = {
    header: 'x-slack-signature',
    prefix: 'v0=',
    secret: SECRETS.MEM_CONNECTOR_SLACK_SECRET,
    before: `v0:${second}:`,
  };
  return Array.from({ length: BODIES }, (_, i) => ({
    method: 'POST',
    path: '/api/v1/webhooks/slack',
    headers,
    body: JSON.stringify(slackMessage(i, { run, second })),
    sign,
  }));
}

/** The largest opened pull request that GitHub publishes, of about 24 KB. */
function openedPullRequest() {
  const file = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')).find(({ name }) => name === 'pull_request');
  const sizeOf = (example) => JSON.stringify(example).length;
  return examples.filter(({ action }) => action === 'opened').sort((one, other) => sizeOf(other) - sizeOf(one))[0];
}

export function githubRequests(run) {
  const headers = {
    'x-github-event': 'pull_request',
    'x-github-delivery': `${run}-{n}`,
    'user-agent': 'GitHub-Hookshot/bench',
  };
  const sign = {
    header: 'x-hub-signature-256',
    prefix: 'sha256=',
    secret: SECRETS.MEM_CONNECTOR_GITHUB_SECRET,
    before: '',
  };
  const opened = openedPullRequest();
  const repository = { ...opened.repository, name: `r${run}`, full_name: `bench/r${run}` };
  return Array.from({ length: BODIES }, (_, i) => {
    const text = noteOf(TEXT_SEED + i);
    const pull_request = { ...opened.pull_request, number: '{n}', title: text.slice(0, 60), body: text };
    const body = JSON.stringify({ ...opened, number: '{n}', pull_request, repository }).replaceAll('"{n}"', '{n}');
    return { method: 'POST', path: '/api/v1/webhooks/github', headers, body, sign };
  });
}
