/** Rooms that an account is in. */
export const MAX_ROOMS = 200;
/** Rooms that an account made and that are not deleted yet. */
export const MAX_KEPT_ROOMS = 400;
/** So long after a room was closed its rows are deleted. */
export const KEPT_CLOSED_MS = 30 * 86_400_000;
/** Accounts that a room has or ever had. */
export const MAX_ACCOUNTS = 100;
/** Agents in a room, of all accounts. */
export const MAX_AGENTS = 1000;
/** With its label an agent is not longer than any other. */
export const MAX_AGENT_BYTES = 220;
/** Messages that a list with filters looks at. */
export const MAX_LOOKED_AT_MESSAGES = 5000;
/** Invitations of a room that nobody has answered. */
export const MAX_PENDING_INVITATIONS = 100;
/** Invitations that an account has received and not answered. */
export const MAX_RECEIVED_INVITATIONS = 100;
/** Invitations that an account has received and answered, and that are kept for retries. */
export const MAX_KEPT_ANSWERED = 100;
/** Requests for access to a room that nobody has answered. */
export const MAX_OPEN_REQUESTS = 100;
/** Requests of an account that nobody has answered, over all rooms. */
export const MAX_SENT_REQUESTS = 20;
/** Paths that were shared with a room. */
export const MAX_TOPICS = 100;
/** Words by which a room is found. */
export const MAX_CARD_WORDS = 500;
/** Words that a search of the directory looks for. */
export const MAX_ASKED_WORDS = 8;
/** Rooms that it looks at for one page. */
export const MAX_LOOKED_AT_ROOMS = 1000;
