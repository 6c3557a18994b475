export const agents = {};
