import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { type ApiDocument, type FilledIn, firstClick, followLinks, shownOperations } from '../support/docs-page.ts';
import { send } from '../support/wire.ts';

const NO_CONFLICT = 'there is one only after a merge that was refused';
const NO_INCIDENT = 'there is one only where judges fail more often than before';
const NO_PATTERN = 'its id is that of a pattern';
const NO_ROOM = 'its id is that of a room that was created';
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
    judges_dry_run: NO_TRACE,
    verdicts_judge: NO_TRACE,
    verdicts_list: NO_TRACE,
    verdicts_read: NO_TRACE,
    verdicts_overrule: NO_TRACE,
    alert_rules_mute: 'the rule of the examples was deleted further up',
    alerts_acknowledge: 'its id is that of an alert',
    case_runs_create: 'the case of the examples was deleted further up',
    case_runs_read: 'its id is that of a run',
    incidents_read: NO_INCIDENT,
    incidents_acknowledge: NO_INCIDENT,
    incidents_resolve: NO_INCIDENT,
    incidents_mute: NO_INCIDENT,
    behaviors_create_from_trace: NO_TRACE,
    fixes_dismiss: 'the fix of the examples was approved further up',
    rooms_join: NO_ROOM,
    rooms_leave: NO_ROOM,
    rooms_members: NO_ROOM,
    rooms_remove_account: NO_ROOM,
    rooms_updates: NO_ROOM,
    rooms_stream: NO_ROOM,
    rooms_discuss: NO_ROOM,
    rooms_discussions: NO_ROOM,
    rooms_invite: NO_ROOM,
    rooms_list_invitations: NO_ROOM,
    rooms_withdraw_invitation: NO_ROOM,
    room_invitations_accept: NO_ROOM,
    room_invitations_decline: NO_ROOM,
    room_invitations_redeem: NO_ROOM,
    room_directory_read: NO_ROOM,
    room_directory_request_access: NO_ROOM,
    rooms_list_access_requests: NO_ROOM,
    rooms_approve_access: NO_ROOM,
    rooms_decline_access: NO_ROOM,
    rooms_grant_access: NO_ROOM,
    rooms_add_topic: NO_ROOM,
    rooms_topics: NO_ROOM,
    rooms_remove_topic: NO_ROOM,
    negotiations_create: NO_ROOM,
    negotiations_list: NO_ROOM,
    negotiations_read: NO_ROOM,
    negotiations_propose: NO_ROOM,
    negotiations_cancel: NO_ROOM,
    room_documents_add: NO_ROOM,
    room_documents_list: NO_ROOM,
    room_documents_read: NO_ROOM,
    room_documents_delete: NO_ROOM,
    room_documents_read_text: NO_ROOM,
    detected_patterns_read: NO_PATTERN,
    detected_patterns_resolve: NO_PATTERN,
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
    verdicts_list_alias: NO_TRACE,
  },
  again: {
    branches_create: 'the name of a branch stays taken',
    judges_create: 'the id of a judge stays taken',
    behaviors_create: 'the id of a behavior stays taken',
    branches_close: STILL_OPEN,
    pull_requests_create: STILL_OPEN,
    pull_requests_read: STILL_OPEN,
    pull_requests_update: STILL_OPEN,
    pull_requests_review: STILL_OPEN,
    pull_requests_check: STILL_OPEN,
    pull_requests_close: STILL_OPEN,
    pull_requests_reopen: STILL_OPEN,
    pull_requests_merge: STILL_OPEN,
    fixes_approve: 'the policy of the examples was set further down',
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
    // The policy of the examples asks for a run of the cases first, so the fix is left to be dismissed.
    const { fixes_dismiss: _approved, ...still } = always;
    expect(Object.keys(await tryAll()).sort()).toEqual(Object.keys({ ...again, ...still }).sort());
  });
});
