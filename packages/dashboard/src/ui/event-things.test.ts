import { describe, expect, it } from 'vitest';
import type { FeedEvent } from '../data/events.ts';
import { eventNameOf } from '../texts/events.ts';
import { actorName, nameOfThing, placeOfThing, THING_WORDS } from './event-things.ts';

const eventOf = (event_type: string, details: object) => ({ event_type, details }) as FeedEvent;

describe('An event about a thing', () => {
  it.each([
    ['incident_opened', { incident_id: 'i1', source_id: 'no-failed-tools', failures: 2 }, '#/incidents/i1'],
    ['alert_raised', { alert_id: 'a1', rule_id: 'dear' }, '#/alerts'],
    ['fix_proposed', { fix_id: 'f1', entries: 1 }, '#/fixes/f1'],
    ['pattern_opened', { pattern_id: 'p1', pattern_type: 'knowledge_conflict' }, '#/patterns/p1'],
    ['cases_run', { case_run_id: 'r1', set_id: 'regression' }, '#/cases?run=r1'],
    ['judge_defined', { judge_id: 'j1' }, '#/judges/j1'],
    ['backfill_ended', { backfill_id: 'b1', judge_id: 'j1' }, '#/backfills'],
    ['behavior_defined', { behavior_id: 'b1' }, '#/behaviors/b1'],
    ['room_agent_joined', { room_id: 'plans-1', label: 'crew' }, '#/rooms/plans-1'],
    ['traces_judged', { failed: 1, verdicts: 3 }, '#/verdicts'],
    ['budget_set', { bounds: 2 }, '#/judges'],
  ])('%s leads to it', (type, details, href) => {
    expect(placeOfThing(eventOf(type, details))).toBe(href);
  });

  it('leads nowhere of its own where it names nothing', () => {
    expect(placeOfThing(eventOf('agent_updated', { part: 'profile' }))).toBeUndefined();
  });

  it('is named by what it is about', () => {
    expect(nameOfThing(eventOf('incident_opened', { source_id: 'no-failed-tools' }))).toBe('no-failed-tools');
    expect(nameOfThing(eventOf('pattern_opened', { pattern_type: 'knowledge_conflict' }))).toBe('knowledge conflict');
    expect(nameOfThing(eventOf('room_agent_joined', { room_id: 'plans-1', label: 'crew' }))).toBe('plans-1');
  });

  it('says who did it, not whose trace it was about', () => {
    const by = (actor_agent_id: string) =>
      actorName({ ...eventOf('verdict_overruled', {}), agent_id: 'dave', actor_agent_id });
    expect(by('erin')).toBe('erin');
    expect(by('system')).toBe('the service');
    expect(actorName({ ...eventOf('write', {}), agent_id: 'dave' })).toBe('dave');
    const read = eventOf('cross_agent_read', { direction: 'inbound', reader_agent_id: 'erin' });
    expect(actorName({ ...read, agent_id: 'dave', actor_agent_id: 'erin' })).toBe('dave');
  });

  it('tells an overruling from one that is taken back', () => {
    expect(eventNameOf(eventOf('verdict_overruled', { result: 'pass' }))).toBe('Verdict overruled');
    expect(eventNameOf(eventOf('verdict_overruled', { result: null }))).toBe('Overruling taken back');
    expect(THING_WORDS.verdict_overruled?.({ result: null })).toMatchObject({ tone: 'second', words: '' });
  });

  it('says in colour and in words what came of it', () => {
    const words = (type: string, details: object) => THING_WORDS[type]?.(details as FeedEvent['details']);
    expect(words('traces_judged', { failed: 1, verdicts: 3 })).toMatchObject({
      tone: 'bad',
      words: '1 of 3 verdicts failed',
    });
    expect(words('cases_run', { passed: 2, cases: 2 })).toMatchObject({ tone: 'good', words: '2 of 2 passed' });
    expect(words('backfill_ended', { status: 'timed_out' })).toMatchObject({ tone: 'second', words: 'timed out' });
  });
});
