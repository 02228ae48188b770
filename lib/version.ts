/**
 * Version: this release, as package.json has it; a spec compares the two.
 */
export const version = "0.1.0";
