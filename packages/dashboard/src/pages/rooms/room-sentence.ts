import type { FeedEvent } from '../../data/events.ts';
import { roomActivity as texts } from '../../texts/room-activity.ts';
import { text } from '../../ui/event-things.ts';

/** What happened, with the name of what it is about between the words; `note` is what somebody said of it. */
export type RoomSentence = { before: string; thing: string; after: string; note: string; isBad?: true };

type SentenceDetails = FeedEvent['details'];

const sentence = (before: string, thing: string, more: Partial<RoomSentence> = {}): RoomSentence => ({
  ...{ before, thing, after: '', note: '' },
  ...more,
});
const textIn = <T>(known: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  Object.hasOwn(known, text(name)) ? known[text(name)] : undefined;

/** Longer proposals are read where they are negotiated. */
const MOST_CHARACTERS = 120;

function proposalOf({ proposal }: SentenceDetails): string {
  if (proposal === null || proposal === undefined) return texts.aProposal;
  const shown = JSON.stringify(proposal);
  return shown.length > MOST_CHARACTERS ? `${shown.slice(0, MOST_CHARACTERS)}…` : shown;
}

const titleOf = ({ title }: SentenceDetails): string => text(title) || texts.aNegotiation;
const documentOf = ({ name }: SentenceDetails): string => text(name) || texts.aDocument;
const account =
  (before: string, after = '') =>
  ({ label, name }: SentenceDetails) =>
    sentence(before, text(label) || text(name), { after });

const SENTENCES: Readonly<Record<string, (details: SentenceDetails) => RoomSentence | undefined>> = {
  room_created: ({ name }) => sentence(texts.made, text(name)),
  room_updated: ({ name }) => sentence(texts.changed, text(name)),
  room_closed: () => sentence(texts.closed, ''),
  room_account_joined: account(texts.theAccount, texts.isIn),
  room_account_left: account(texts.theAccount, texts.isOut),
  room_agent_joined: account(texts.joined),
  room_agent_left: account(texts.left),
  room_invited: ({ name }) => sentence(texts.invited, text(name) || texts.anAccount),
  room_invitation_ended: ({ name }) =>
    sentence(texts.invitationOf, text(name) || texts.anAccount, { after: texts.hasEnded }),
  room_access_requested: () => sentence(texts.asked, ''),
  room_access_answered: ({ status }) => sentence(textIn(texts.answered, status) ?? texts.answeredAnyhow, ''),
  room_topic_added: ({ name, shared_path }) => {
    const path = text(shared_path);
    const thing = text(name) || path || texts.aTopic;
    return sentence(texts.shared, thing, { note: path === thing || path === '' ? '' : texts.from(path) });
  },
  room_topic_removed: ({ name }) => sentence(texts.removed, text(name) || texts.aTopic),
  room_message: ({ message_type, addressed_to, content }) => {
    const message = textIn(texts.messages, message_type) ?? texts.messages.message;
    return sentence(texts.wrote, texts.toAgent(message, text(addressed_to)), { note: texts.because(text(content)) });
  },
  room_document_added: (details) => sentence(texts.added(Number(details.version ?? 1)), documentOf(details)),
  room_document_read: (details) =>
    details.status === 'failed'
      ? sentence(texts.theText, documentOf(details), {
          after: texts.isUnreadable,
          note: reasonOf(details),
          isBad: true,
        })
      : sentence(texts.theText, documentOf(details), { after: texts.isReady }),
  room_document_deleted: (details) => sentence(texts.deleted, documentOf(details)),
  negotiation_started: (details) => {
    const { max_rounds, participants } = details;
    const agents = Array.isArray(participants) ? participants.map(text) : [];
    const rounds = typeof max_rounds === 'number' ? texts.rounds(max_rounds, agents) : '';
    return sentence(texts.began, titleOf(details), { note: rounds });
  },
  negotiation_step: (details) => {
    const wordsOf = textIn(texts.steps, details.action);
    return (
      wordsOf &&
      sentence(wordsOf(proposalOf(details)), titleOf(details), { note: texts.because(text(details.rationale)) })
    );
  },
  negotiation_ended: (details) => {
    const round = typeof details.round === 'number' ? texts.inRound(details.round) : '';
    const how = textIn(texts.ends, details.status) ?? texts.endedAnyhow;
    return sentence('', titleOf(details), { after: how(round), note: texts.because(text(details.reason)) });
  },
};

const reasonOf = ({ reason }: SentenceDetails): string => texts.because(text(reason).replaceAll('_', ' '));

/** Undefined for what happens elsewhere too, such as a write. */
export const sentenceOf = ({ event_type, details }: FeedEvent): RoomSentence | undefined =>
  textIn(SENTENCES, event_type)?.(details);
