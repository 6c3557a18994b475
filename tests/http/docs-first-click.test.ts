import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { type ApiDocument, type FilledIn, firstClick, followLinks, shownOperations } from '../support/docs-page.ts';
import { send } from '../support/wire.ts';

const NO_CONFLICT = 'there is one only after a merge that was refused';
const NO_TRACE = 'its id is that of a trace that was sealed';
const NO_KEY = 'only a hosted service has keys';
const NO_TEAM = 'its id is that of a team that was created';
const STILL_OPEN = 'a pull request with nothing to merge stays open, and there is one of two branches at a time';

/** Operations that the state of the store must refuse, and why. */
const EXCEPTIONS = {
  always: {
    traces_list_spans: NO_TRACE,
    traces_read_span: NO_TRACE,
    traces_compare: NO_TRACE,
    merges_read: NO_CONFLICT,
    merges_abort: NO_CONFLICT,
    conflicts_list: NO_CONFLICT,
    conflicts_read: NO_CONFLICT,
    conflicts_resolve: NO_CONFLICT,
    access_grant: NO_KEY,
    access_revoke: NO_KEY,
    teams_update: NO_TEAM,
    teams_delete: NO_TEAM,
    members_list: NO_TEAM,
    members_add: NO_TEAM,
    members_update: NO_TEAM,
    members_remove: NO_TEAM,
    members_reinstate: NO_TEAM,
    transfer_finish: 'an export goes into an account that nobody has written to',
    dead_letters_replay: 'there is one only where a connector has failed',
  },
  again: {
    branches_create: 'the name of a branch stays taken',
    branches_close: STILL_OPEN,
    pull_requests_create: STILL_OPEN,
    pull_requests_read: STILL_OPEN,
    pull_requests_update: STILL_OPEN,
    pull_requests_review: STILL_OPEN,
    pull_requests_check: STILL_OPEN,
    pull_requests_close: STILL_OPEN,
    pull_requests_reopen: STILL_OPEN,
    pull_requests_merge: STILL_OPEN,
    teams_create: 'the slug of a team is taken once',
  },
};

describe('the examples of the documentation page, from top to bottom on an empty store', () => {
  const server = useServer('sqlite');

  /** Clicks on Execute from top to bottom, and gives the answers that are no success. */
  async function tryAll(): Promise<Record<string, string>> {
    const { json } = await send(server.url, { method: 'GET', path: '/docs/openapi.json' });
    const document = json as unknown as ApiDocument;
    const filled: FilledIn = new Map();
    const failures: Record<string, string> = {};
    for (const shown of shownOperations(document)) {
      const request = firstClick(document, shown, filled);
      const answer = await send(server.url, request);
      followLinks(shown, answer, filled);
      if (answer.status >= 300) failures[shown.id] = `${answer.status} ${answer.json.detail}`;
    }
    return failures;
  }

  it('all succeed', async () => {
    expect(Object.keys(await tryAll())).toEqual(Object.keys(EXCEPTIONS.always));
  });

  it('all succeed a second time', async () => {
    const { always, again } = EXCEPTIONS;
    expect(Object.keys(await tryAll()).sort()).toEqual(Object.keys({ ...again, ...always }).sort());
  });
});
