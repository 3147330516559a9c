// Texts of ages and shortened lists.
export const texts = {
  justNow: "just now",
  ago: (duration: string): string => `${duration} ago`,
  ahead: (duration: string): string => `in ${duration}`,
  andMore: (beginning: string, more: string): string => `${beginning} and ${more} more`,
};
