package executorpages

const MembersPerPage = membersPerPage
