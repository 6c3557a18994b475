/** Documents that a room has, and the bytes of their newest contents. */
export const MAX_DOCUMENTS = 500;
export const MAX_ROOM_BYTES = 200 * 1024 * 1024;
/** What is found and shown at once. */
export const PASSAGE_CHARS = 2000;
/** Rooms that one search looks into, and passages that it compares in each. */
export const MAX_SEARCHED_ROOMS = 50;
export const MAX_COMPARED = 200;
